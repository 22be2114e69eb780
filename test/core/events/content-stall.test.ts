/**
 * Conditions on contents of megabytes: other calls are handled meanwhile.
 * (docs/spec/streams-queries.md#conditions-on-contents)
 */
import t from 'tap'
import { coffer, type Client } from '../../support/coffer.js'
import { Probe } from '../../support/probe.js'
import { inRotation } from '../../support/rotation.js'

const isLong = process.env['COFFER_TEST_LONG'] === '1'

t.setTimeout(900_000)

const test = inRotation(t, 2)

/** Longest permitted wait of another user, in milliseconds. */
const patience = 150
const bytes = 1024 * 1024
const keys = 15_000
/** Number of characters at the start and end of a response that are checked. */
const edge = 4000

/** Creates many small events, newer than some large ones. */
async function filled(user: Client, small: number, large: number, content: unknown): Promise<void> {
  await user.stream('diary')
  for (let at = 0; at < small; at += 1000)
    await user.do(
      'callBatch',
      Array.from({ length: 1000 }, (_, index) => ({
        method: 'events.create',
        params: { streamIds: ['diary'], type: 'note/txt', content: 'small', time: 1e6 + at + index }
      }))
    )
  for (let time = 1; time <= large; time++) await user.event({ type: 'test/any', content, time })
}

test('conditions on contents do not block other users', async t => {
  const service = await coffer(t)
  const { alice } = service
  const bob = await service.user('bobby')
  await bob.stream('diary')
  await bob.event()
  const probe = new Probe(bob)
  const wide = Object.fromEntries(Array.from({ length: keys }, (_, index) => [`key-${index}`, index]))
  await filled(alice, 2000, 20, { text: 'x'.repeat(bytes), wide })

  const queries: Record<string, unknown[]> = {
    'of the whole': Array.from({ length: 20 }, () => ({ path: '$', exists: true })),
    'of a long text': Array.from({ length: 20 }, () => ({ path: 'text', neq: 'y' })),
    'of the last of many keys': Array.from({ length: 20 }, () => ({ path: `wide.key-${keys - 1}`, gt: 0 })),
    'of something deep': Array.from({ length: 20 }, () => ({
      path: Array(500).fill('a').join('.'),
      exists: false
    }))
  }
  for (const [place, [name, content]] of Object.entries(queries).entries())
    for (const params of isLong ? [{}, { modifiedSince: 0 }] : [place % 2 === 0 ? {} : { modifiedSince: 0 }])
      await t.test(`${name}, ${JSON.stringify(params)}`, async t => {
        await probe.assertServed(t, patience, async () => {
          const { events } = await alice.call('events.get', {
            content: [...content, { path: 'none', exists: true }].slice(-20),
            ...params
          })
          t.same(events, [])
        })
      })
})

test('streams queries on events in thousands of streams do not block other users', async t => {
  const service = await coffer(t)
  const { alice } = service
  const bob = await service.user('bobby')
  await bob.stream('diary')
  const probe = new Probe(bob)
  const streamIds = Array.from({ length: 5000 }, (_, index) => `s${index}`)
  for (let at = 0; at < streamIds.length; at += 1000)
    await alice.do(
      'callBatch',
      streamIds.slice(at, at + 1000).map(id => ({ method: 'streams.create', params: { id, name: id } }))
    )
  const events = 10
  for (let time = 1; time <= events; time++) await alice.event({ streamIds, time })
  const last = streamIds.slice(-990)
  const queries = {
    'in all of many': { any: ['s0'], all: last },
    'in one of many groups': last
      .slice(0, 330)
      .map((id, index) => ({ any: [`s${index}`], all: [id], not: [last[index + 330]] }))
  }
  for (const [name, streams] of Object.entries(queries))
    for (const method of ['events.get', 'events.sample'])
      await t.test(`${name}, ${method}`, async t => {
        const params = { fromTime: 0, toTime: 100, streams, ...(method === 'events.sample' && { parts: 1 }) }
        const count = 'all' in streams ? events : 0
        await probe.assertServed(t, patience, async () => {
          const answer = await alice.do(method, params)
          t.equal(answer.events?.length ?? answer.samples[0]?.count ?? 0, count)
        })
      })
})

/** Returns a form with a small file. */
function createForm(): FormData {
  const form = new FormData()
  form.append('file', new Blob(['hello']), 'a.txt')
  return form
}

test('files of an event with large content do not block other users while they are read', async t => {
  const service = await coffer(t)
  const { alice } = service
  await alice.stream('diary')
  const content = Array.from({ length: 100_000 }, (_, index) => ({ [`k${index}`]: `${index}` }))
  const text = JSON.stringify(content)
  const { id } = await alice.event({ type: 'test/any', content })
  const { body } = await alice.http('POST', `/events/${id}`, createForm())
  const [file] = body.event.attachments
  const plain = (await alice.event({ type: 'test/any', content, time: 1 })).id

  // By CPU time: all of it is spent in one turn.
  const parsedMs = Math.min(...Array.from({ length: 5 }, () => took(() => JSON.parse(text))))
  const read = async (path: string): Promise<number> => {
    const times: number[] = []
    for (let time = 0; time < 3; time++) {
      const before = process.cpuUsage()
      const answer = await fetch(`${service.server.url}/alice${path}`, {
        headers: { authorization: alice.token }
      })
      await answer.text()
      t.equal(answer.status, 200)
      times.push(sinceMs(before))
    }
    return Math.min(...times)
  }

  await t.test('while one is sent', async t => {
    const ms = await read(`/events/${id}/${file.id}`)
    t.ok(ms < parsedMs / 2, `${Math.round(ms)} of ${Math.round(parsedMs)} ms`)
  })

  for (const [name, path] of [
    ['the event is read', (of: string) => `/events/${of}`],
    ['it is listed', (of: string) => `/events?${of === id ? 'limit=1' : 'fromTime=0&toTime=2'}`]
  ] as const)
    await t.test(`while ${name}`, async t => {
      const more = (await read(path(id))) - (await read(path(plain)))
      t.ok(
        more < parsedMs / 2,
        `${Math.round(more)} ms more than without files, of ${Math.round(parsedMs)} ms`
      )
    })
})

test('files of an event with large content do not block other users while they are added or deleted', async t => {
  const service = await coffer(t)
  const { alice } = service
  await alice.stream('diary')
  const probe = new Probe(await service.user('bobby'))
  const many = Array.from({ length: 100_000 }, (_, index) =>
    Object.fromEntries(Array.from({ length: 8 }, (_, key) => [`k${key}`, `${index}`]))
  )
  const large = await alice.event({ type: 'test/any', content: many })
  const path = `${service.server.url}/alice/events/${large.id}`
  const headers = { authorization: alice.token }
  // Responses are neither parsed nor decoded as a whole: this process also runs the service.
  const sent = async (url: string, init: RequestInit): Promise<[start: string, end: string]> => {
    const answer = await fetch(url, { ...init, headers })
    t.equal(answer.status, 200)
    let [start, end] = ['', '']
    for await (const piece of answer.body!) {
      const text = Buffer.from(piece).toString('latin1')
      if (start.length < edge) start += text.slice(0, edge)
      end = `${end}${text.slice(-edge)}`.slice(-edge)
    }
    return [start, end]
  }
  await probe.assertServed(t, 100, async () => {
    const added = await sent(path, { method: 'POST', body: createForm() })
    const fileId = /"attachments":\[\{"id":"([^"]+)"/.exec(added.join())?.[1]
    t.type(fileId, 'string')
    const without = await sent(`${path}/${fileId}`, { method: 'DELETE' })
    t.notOk(without.join().includes('"attachments":['))
    t.ok(without.join().includes('"k7":"99999"'))
  })
})

function sinceMs(before: NodeJS.CpuUsage): number {
  const { system, user } = process.cpuUsage(before)
  return (system + user) / 1000
}

function took(run: () => unknown): number {
  const before = process.cpuUsage()
  run()
  return sinceMs(before)
}
