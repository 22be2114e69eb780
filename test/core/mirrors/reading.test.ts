/** Reads of a copy that ends: nothing of it is read from then on, and a response in progress does not look complete. */
import { request, type IncomingMessage } from 'node:http'
import { setImmediate as nextTurn } from 'node:timers/promises'
import t, { type Test } from 'tap'
import type { Answer, Client } from '../../support/coffer.js'
import { until } from '../../support/socket.js'
import { inRotation, rotate } from '../../support/rotation.js'
import { follow, reaches, root, startWorld, type World } from './world.js'

t.setTimeout(300_000)

const everything = { streams: [root], state: 'all', fromTime: -1e12, toTime: 1e12 }

/** Lets Dora copy notes, by default 2.4 MB. */
async function start(
  t: Test,
  { count = 60, length = 40_000 } = {}
): Promise<{ readonly world: World; readonly id: string }> {
  const world = await startWorld(t, { workers: 0, accesses: { updates: true } })
  const { paul } = world
  for (let number = 0; number < count; number += 60) {
    const calls = Array.from({ length: 60 }, (_, at) => {
      const content = `${number + at} ${'word '.repeat(length / 5)}`
      const event = { streamIds: ['diary'], type: 'note/txt', content, time: 1e9 }
      return { method: 'events.create', params: event }
    })
    await paul.do('callBatch', calls)
  }
  await paul.event({ streamIds: ['health'], content: 'stays' })
  const id = await follow(world)
  return { world, id }
}

/** Begins a call as a transport does. Returns its texts. */
async function begin({ service, token, username: user }: Client, method: string, params: object) {
  const credentials = { ip: '127.0.0.1', via: 'http', authorization: token } as const
  const outcome = await service.server.dispatcher.call({ user, method, params, credentials })
  if (!outcome.ok || !outcome.remainder) throw new Error('no long response')
  return outcome.remainder
}

const reads: Readonly<Record<string, readonly [method: string, params: object]>> = {
  'a list': ['events.get', everything],
  'a list of the stream': ['events.get', { ...everything, streams: [`${root}:diary`] }],
  'a table': ['events.export', { ...everything, format: 'csv' }],
  'an export in JSON': ['events.export', { ...everything, format: 'json' }],
  'an export in Parquet': ['events.export', { ...everything, format: 'parquet' }],
  'a batch': ['callBatch', [{ method: 'events.get', params: everything }]]
}

const ends: Readonly<Record<string, (world: World, id: string) => Promise<unknown>>> = {
  'its keeper ends it': async ({ dora }, id) => await dora.do('mirrors.delete', { id }),
  'its keeper ends the relationship': async ({ channel, dora }) =>
    await dora.do('accesses.delete', { id: channel.id }),
  'its owner revokes it': async ({ grantId, paul }) => await paul.do('accesses.delete', { id: grantId })
}

for (const [name, end] of rotate(t, Object.entries(ends)))
  t.test(`responses in progress when ${name}`, async t => {
    const { id, world } = await start(t)
    const { dora, requesterService } = world
    const texts = await Promise.all(
      Object.values(reads).map(async ([method, params]) => await begin(dora, method, params))
    )
    for (const each of texts) t.equal((await each.next()).done, false)
    await end(world, id)
    await until(async () => {
      requesterService.clock.advance(30)
      return (await reaches(world, id, () => true)).state.startsWith('eras')
    }, 'the end')
    for (const [at, each] of texts.entries())
      await t.rejects(each.next(), { message: /Unknown streams/ }, Object.keys(reads)[at]!)
    await reaches(world, id, ({ state }) => state === 'erased')
  })

const test = inRotation(t, 2)

test('responses in progress when less is shared', async t => {
  const { id, world } = await start(t)
  const { dora, grantId, paul, requesterService } = world
  const texts = await Promise.all(
    Object.values(reads).map(async ([method, params]) => await begin(dora, method, params))
  )
  for (const each of texts) t.equal((await each.next()).done, false)
  const { accesses } = await paul.do('accesses.get')
  const { permissions } = accesses.find((each: Answer) => each.id === grantId)
  const kept = permissions.filter(({ streamId }: Answer) => streamId !== 'diary')
  await paul.do('accesses.update', { id: grantId, update: { permissions: kept } })
  await until(async () => {
    requesterService.clock.advance(700)
    return (await dora.call('events.get', { streams: [`${root}:diary`] })).error !== undefined
  }, 'the removal')
  for (const [at, each] of texts.entries())
    await t.rejects(each.next(), { message: /Unknown streams/ }, Object.keys(reads)[at]!)
  t.match(await reaches(world, id, () => true), { state: 'live' })
  t.equal((await dora.do('events.get', { ...everything, limit: 10 })).events.length, 1, 'a new read succeeds')
})

test('a download that is in progress is aborted', async t => {
  // More than the buffers between her and the server hold.
  const { id, world } = await start(t, { count: 120, length: 200_000 })
  const { dora } = world
  const path = `/${dora.username}/events/export?format=json&streams[]=${root}&fromTime=0&toTime=2e9`
  const headers = { authorization: dora.token }
  const sent = request(world.requesterService.server.url + path, { headers })
  let response: IncomingMessage | undefined
  let size = 0
  const ended = new Promise<string>(resolve => {
    sent.on('error', () => resolve('aborted'))
    sent.on('response', answer => {
      response = answer
      answer.on('error', () => resolve('aborted'))
      answer.on('end', () => resolve('complete'))
      answer.once('data', () => answer.pause())
      answer.on('data', (chunk: Buffer) => (size += chunk.length))
    })
  })
  sent.end()
  await until(() => size > 0, 'the beginning')
  await dora.do('mirrors.delete', { id })
  await reaches(world, id, ({ state }) => state === 'erased')
  response?.resume()
  t.equal(await ended, 'aborted')
  t.ok(size < 24_000_000, `${size} bytes`)
})

t.test('nothing is read while a copy is being erased', async t => {
  const { id, world } = await start(t, { count: 1200, length: 100 })
  const { dora } = world
  const app = await dora.grant('read', `${root}:diary`, { type: 'app' })
  const { events } = await dora.do('events.get', { ...everything, limit: 1 })
  const calls: readonly (readonly [string, object])[] = [
    ['events.get', { ...everything, limit: 10 }],
    ['events.getOne', { id: events[0].id }],
    ['events.export', { ...everything, format: 'csv' }],
    ['streams.facts', { streams: [root] }],
    ['measures.facts', { streams: [root] }]
  ]
  for (const [method, params] of calls) t.equal((await dora.call(method, params)).error, undefined, method)
  t.ok((await app.do('events.get', { limit: 1 })).events.length > 0)
  await dora.stream('own')
  await dora.event({ streamIds: ['own'], content: 'own', time: 2e9 })
  const permissions = ['*', `${root}:diary`].map(streamId => ({ streamId, level: 'read' as const }))
  const both = await dora.grantAll(permissions, { type: 'app' })
  await dora.do('mirrors.delete', { id })
  let times = 0
  for (;;) {
    const found = await Promise.all([
      ...calls.map(async ([method, params]) => await dora.call(method, params)),
      app.call('events.get', { limit: 1 })
    ])
    for (const answer of found) {
      const isNothing = answer.events?.length === 0 || answer.event?.deleted !== undefined
      if (!answer.error && !isNothing) t.fail(JSON.stringify(answer).slice(0, 200))
    }
    const { events: shown } = await both.do('events.get', { fromTime: 0, toTime: 3e9, limit: 20 })
    const isOwn = JSON.stringify(shown).includes('"own"') && !JSON.stringify(shown).includes(':_followed')
    if (!isOwn) t.fail(`an app reads everything else: ${JSON.stringify(shown).slice(0, 200)}`)
    times++
    if ((await dora.do('mirrors.getOne', { id })).mirror.state === 'erased') break
    await nextTurn()
  }
  t.comment(`${times} times`)
})
