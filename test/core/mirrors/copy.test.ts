import t from 'tap'
import type { Services } from '../../../core/call/services.js'
import type { Answer } from '../../support/coffer.js'
import { inRotation, rotate } from '../../support/rotation.js'
import { until } from '../../support/socket.js'
import { startFakePeer } from './fake-peer.js'
import { contact, follow, listCopies, reaches, root, startWorld } from './world.js'

/** Returns the part of a list that a query asks for. */
function page(all: readonly unknown[], query: URLSearchParams): unknown[] {
  const [skip = 0, limit = 0] = ['skip', 'limit'].map(name => Number(query.get(name)))
  return all.slice(skip, skip + limit)
}

for (const isShared of rotate(t, [false, true]))
  t.test(isShared ? 'two accounts on one service' : 'two services', async t => {
    const world = await startWorld(t, {}, { isShared })
    const { dora, paul, channel } = world
    const note = async (content: string, streamId = 'health', clientData = {}): Promise<Answer> =>
      (await paul.do('events.create', { streamIds: [streamId], type: 'note/txt', content, clientData })).event
    // As long as a document that was imported.
    const clientData = { 'fhir:resource': { resourceType: 'Observation', text: 'x'.repeat(100_000) } }
    const first = await note('one', 'health', clientData)
    const second = await note('two', 'diary')
    await paul.stream('private')
    await note('hidden', 'private')
    const id = await follow(world)

    t.test('a copy has what may be seen', async t => {
      t.same(await listCopies(world), ['one', 'two'])
      const { events } = await dora.do('events.get', { streams: [root], limit: 10 })
      const copied = events.find(({ content }: Answer) => content === 'one')
      t.match(copied, {
        streamIds: [`${root}:health`],
        time: first.time,
        type: 'note/txt',
        clientData: { ...clientData, 'coffer:followed': { id: first.id, host: '127.0.0.1' } }
      })
      t.not(copied.id, first.id)
      const { streams } = await dora.do('streams.get', { parentId: root })
      t.same(streams.map(({ name }: Answer) => name).toSorted(), ['diary', 'health'])
      t.match(await reaches(world, id, () => true), {
        events: 2,
        skipped: 0,
        person: { username: 'paul-patient' }
      })
    })

    t.test('changes arrive at the next contact', async t => {
      await note('three')
      await paul.do('events.update', { id: first.id, update: { content: 'one again' } })
      await paul.do('events.delete', { id: second.id })
      await contact(world, id)
      t.same(await listCopies(world), ['one again', 'three', 'two'])
      await paul.do('events.delete', { id: second.id })
      await contact(world, id)
      t.same(await listCopies(world), ['one again', 'three'])
      const { event } = await paul.do('events.create', {
        streamIds: ['diary'],
        type: 'note/txt',
        content: 'moved'
      })
      await contact(world, id)
      await paul.do('events.update', { id: event.id, update: { streamIds: ['private'] } })
      await contact(world, id)
    })

    t.test('nothing in a copy can be changed', async t => {
      const { events } = await dora.do('events.get', { streams: [root], limit: 1 })
      const [{ id: eventId }] = events
      const inCopy = { streamIds: [`${root}:health`], type: 'note/txt', content: 'x' }
      await dora.stream('own')
      const own = (await dora.do('events.create', { streamIds: ['own'], type: 'note/txt', content: 'own' }))
        .event
      for (const [method, params] of [
        ['events.create', inCopy],
        ['events.update', { id: eventId, update: { content: 'x' } }],
        ['events.update', { id: own.id, update: { streamIds: ['own', `${root}:health`] } }],
        ['events.delete', { id: eventId }],
        ['streams.create', { name: 'x', parentId: root }],
        ['streams.create', { id: `${root}:x`, name: 'x' }],
        ['streams.update', { id: `${root}:health`, update: { name: 'x' } }],
        ['streams.update', { id: 'own', update: { parentId: root } }],
        ['streams.delete', { id: root }]
      ] as const) {
        const { error } = await dora.call(method, params)
        t.ok(
          ['forbidden', 'invalid-operation', 'invalid-item-id'].includes(error?.id),
          `${method} ${JSON.stringify(error)}`
        )
      }
    })

    t.test('only the account itself sees a copy, and whom it lets', async t => {
      const wide = await dora.grant('manage', '*', { type: 'app' })
      t.notMatch(JSON.stringify(await wide.do('streams.get')), root)
      t.equal(
        (await wide.do('events.get', { streams: ['*'], limit: 100 })).events.filter(({ streamId }: Answer) =>
          streamId.startsWith(root)
        ).length,
        0
      )
      const { events } = await dora.do('events.get', { streams: [root], limit: 1 })
      t.match(await wide.call('events.getOne', { id: events[0].id }), { error: { id: 'forbidden' } })
      const named = await dora.grant('read', `${root}:health`, { type: 'app' })
      t.ok((await named.do('events.get', { limit: 100 })).events.length > 0)
      const { error } = await dora.call('accesses.create', {
        name: 'writer',
        type: 'app',
        permissions: [{ streamId: root, level: 'contribute' }]
      })
      t.match(error, { id: 'invalid-operation' })
    })

    t.test('there is one for each relationship', async t => {
      t.match((await dora.call('mirrors.create', { accessId: channel.id })).error, {
        id: 'item-already-exists'
      })
      t.match((await dora.call('mirrors.create', { accessId: dora.access.id })).error, {
        id: 'unknown-resource'
      })
      t.match((await paul.call('mirrors.create', { accessId: world.grantId })).error, {
        id: 'invalid-operation'
      })
    })

    t.test('the end of the permission erases it', async t => {
      await paul.do('accesses.delete', { id: world.grantId })
      const erased = await (async () => {
        await until(async () => {
          const { mirror } = await dora.do('mirrors.getOne', { id })
          if (mirror.state === 'erased') return true
          world.requesterService.clock.advance(100)
          return false
        }, 'the erasure')
        return (await dora.do('mirrors.getOne', { id })).mirror
      })()
      t.match(erased, { state: 'erased', erased: Number, receipt: String, ended: { time: Number } })
      t.match((await dora.call('events.get', { streams: [root], limit: 10 })).error, {
        id: 'unknown-referenced-resource'
      })
      t.notMatch(JSON.stringify(await dora.do('streams.get')), root)
      const claims = JSON.parse(Buffer.from(erased.receipt.split('.')[1], 'base64url').toString())
      t.match(claims, { sub: 'paul-patient@127.0.0.1', keeper: { username: 'dora-doctor' } })
      t.match((await dora.do('mirrors.delete', { id })).mirrorDeletion, { id })
      t.same((await dora.do('mirrors.get')).mirrors, [])
    })
  })

const test = inRotation(t, 2)

test('many events', async t => {
  const world = await startWorld(t)
  const { paul } = world
  const time = world.accepterService.clock.now() - 100
  const create = async (from: number, count: number): Promise<void> => {
    const calls = Array.from({ length: count }, (_, index) => ({
      method: 'events.create',
      params: {
        streamIds: ['health'],
        type: 'note/txt',
        content: `note ${from + index}`,
        // Many at the same time, and many out of order.
        time: index % 3 === 0 ? time : time - ((index * 7919) % 5000)
      }
    }))
    await paul.http('POST', '/', calls)
  }
  for (let from = 0; from < 900; from += 300) await create(from, 300)
  const id = await follow(world)
  t.equal((await listCopies(world)).length, 900)
  await create(900, 300)
  await contact(world, id)
  await until(async () => (await listCopies(world)).length === 1200, 'all events')
  t.equal(new Set(await listCopies(world)).size, 1200)
})

t.test('notices', async t => {
  const world = await startWorld(t, { webhooks: { allowInternalTargets: true, minIntervalMs: 10 } })
  const { dora, paul } = world
  const id = await follow(world)
  await until(async () => (await paul.do('webhooks.get')).webhooks.length === 1, 'the webhook')
  const [{ accessId, url }] = (await paul.do('webhooks.get')).webhooks
  t.equal(accessId, world.grantId)
  // A notice may have come before, so time passes.
  world.requesterService.clock.advance(5)
  await paul.do('events.create', { streamIds: ['health'], type: 'note/txt', content: 'at once' })
  world.accepterService.clock.advance(5)
  await until(async () => (await listCopies(world)).length === 1, 'the event, without a regular contact')
  const wrong = `${new URL(url).pathname.slice(0, -4)}abcd`
  t.match(await world.requesterService.http('POST', wrong, {}), { status: 404 })
  t.match(await reaches(world, id, () => true), { state: 'live' })
  t.equal((await dora.do('mirrors.get')).mirrors.length, 1)
})

t.test('the end of the relationship, by its reader', async t => {
  const world = await startWorld(t)
  const { channel, dora, paul } = world
  await paul.do('events.create', { streamIds: ['health'], type: 'note/txt', content: 'x' })
  const id = await follow(world)
  await dora.do('accesses.delete', { id: channel.id })
  const erased = await reaches(world, id, ({ state }) => state === 'erased')
  t.match(erased, { ended: { time: Number }, receipt: String })
  t.notMatch(JSON.stringify(await dora.do('streams.get')), root)
})

t.test('streams that may no longer be seen are erased at the next contact', async t => {
  const world = await startWorld(t, { accesses: { updates: true } })
  const { grantId, paul } = world
  await paul.do('events.create', { streamIds: ['health'], type: 'note/txt', content: 'stays' })
  await paul.do('events.create', { streamIds: ['diary'], type: 'note/txt', content: 'goes' })
  await paul.do('events.create', { streamIds: ['diary', 'health'], type: 'note/txt', content: 'both' })
  const id = await follow(world)
  t.same(await listCopies(world), ['both', 'goes', 'stays'])
  const grant = (await paul.do('accesses.get')).accesses.find((each: Answer) => each.id === grantId)
  const permissions = grant.permissions.filter(({ streamId }: Answer) => streamId !== 'diary')
  await paul.do('accesses.update', { id: grantId, update: { permissions } })
  await contact(world, id)
  t.same(await listCopies(world), ['both', 'stays'])
  t.notMatch(JSON.stringify(await world.dora.do('streams.get')), `${root}:diary`)
})

test('more deletions at one time than a page has arrive with one contact', async t => {
  const world = await startWorld(t, { workers: 0 })
  const peer = await startFakePeer(t, world)
  const list = Array.from({ length: 2300 }, (_, index) => ({
    id: `e${index}`,
    streamIds: ['health'],
    time: 1000,
    modified: 1000,
    type: 'note/txt',
    content: 'x'
  }))
  peer.events = query => (query.has('modifiedSince') ? [] : page(list, query))
  const id = await follow(world)
  t.equal((await reaches(world, id, () => true)).events, 2300)
  const deletions = list.slice(1).map(each => ({ id: each.id, deleted: 5000 }))
  peer.deletions = query => (Number(query.get('modifiedSince')) < 5000 ? page(deletions, query) : [])
  const { events, lastComparison } = await contact(world, id)
  t.equal(events, 1)
  t.equal((await contact(world, id)).lastComparison, lastComparison)
})

t.test('a clock that was ahead', async t => {
  const world = await startWorld(t, { workers: 0, auth: { sessionMaxAge: 1e9 } }, { isShared: true })
  const { paul, requesterService } = world
  const { clock } = requesterService
  const id = await follow(world)
  clock.advance(1e8)
  await reaches(world, id, ({ lastContact }) => lastContact === clock.now())
  const { accounts } = (requesterService.server as unknown as { services: Services }).services
  const { mirrors, waits } = accounts.openStore(accounts.find(world.dora.username)!)
  await until(() => (mirrors.find(id)?.next ?? 0) > clock.now(), 'the end of the contact')
  clock.advance(-1e8)
  await paul.do('events.create', { streamIds: ['health'], type: 'note/txt', content: 'new' })
  const { lastComparison } = await contact(world, id)
  t.same(await listCopies(world), ['new'])
  t.equal(lastComparison, clock.now(), 'all is compared')
  t.ok(JSON.parse(mirrors.find(id)!.progress).reported <= clock.now(), 'and reported')
  const now = clock.now()
  const part = { id: 'x', kind: 'points', isDoubtful: 0, at: 0, failures: 1 } as const
  mirrors.putPart(id, { ...part, next: now + 1e8 })
  t.ok(waits.hasAhead(now))
  waits.endAhead(now)
  t.notOk(waits.hasAhead(now))
  t.equal(mirrors.findPart(id, part)!.next, now)
})

test('copies of streams do not count as streams of the follower', async t => {
  const world = await startWorld(t, { limits: { streamsBytes: 12_000 } })
  const { dora, paul } = world
  const text = 'x'.repeat(4000)
  for (const id of ['a', 'b'])
    await paul.do('streams.create', { id, name: `${id}${text.slice(0, 200)}`, parentId: 'health' })
  await dora.do('streams.create', { id: 'own', name: 'own', clientData: { text: text + text } })
  const id = await follow(world)
  t.equal((await reaches(world, id, () => true)).error, undefined)
})
