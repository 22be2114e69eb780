/**
 * What the audit log records of reads: streams, range and number of items, for all transports.
 * (docs/spec/audit.md#what-was-read)
 */
import { once } from 'node:events'
import { request } from 'node:http'
import t from 'tap'
import { type Answer, type Client, coffer } from '../../support/coffer.js'
import { socketOf } from '../../support/socket.js'

/** Returns what the records of a method contain about reads, earliest first. */
async function reads(alice: Client, method = 'events.get'): Promise<Answer[]> {
  const query = { streams: [`:_audit:action-${method}`], limit: 10_000, sortAscending: true }
  const { events } = await alice.do('events.get', query)
  return events
    .map(({ content }: Answer) => content.read)
    .filter((read: Answer) => !read?.streamIds[0]?.startsWith(':_audit:'))
}

/** Creates the streams `body` with `heart` and `weight` below it, and `diary`; three events in each but `body`. */
async function filled(alice: Client): Promise<Answer[]> {
  await alice.stream('body')
  for (const id of ['heart', 'weight']) await alice.stream(id, 'body')
  await alice.stream('diary')
  const events: Answer[] = []
  for (const stream of ['heart', 'weight', 'diary'])
    for (const time of [100, 200, 300])
      events.push(await alice.event({ streamIds: [stream], type: 'count/generic', content: time, time }))
  return events
}

t.test('the audit log records of a read', async t => {
  t.test('the requested streams, the range and the number of events, over each transport', async t => {
    const { alice, clock } = await coffer(t)
    await filled(alice)
    const now = clock.now()
    const params = { streams: ['heart', 'diary'], fromTime: 150, toTime: 250 }
    await alice.http('GET', '/events?streams[]=heart&streams[]=diary&fromTime=150&toTime=250')
    await alice.http('POST', '/', [{ method: 'events.get', params }])
    const socket = await socketOf(t, alice)
    await socket.call('events.get', params)
    await socket.call('callBatch', [
      { method: 'events.get', params: { ...params, fromTime: 400, toTime: 500 } }
    ])
    await alice.do('events.get', { streams: ['body'], fromTime: 0 })
    await alice.do('events.get', { streams: { any: ['body!', 'heart'], not: ['weight'] }, limit: 2 })
    await alice.do('events.get', { streams: '{"any":["*"],"not":["body"]}', types: ['count/generic'] })
    await alice.do('events.get', { types: ['no/such'] })
    // As feeds and searches of FHIR do.
    await alice.do('events.get', {
      streams: ['diary'],
      fromTime: -Number.MAX_VALUE,
      toTime: Number.MAX_VALUE
    })
    const asked = { streamIds: ['heart', 'diary'], from: 150, to: 250, count: 2 }
    t.same(await reads(alice), [
      asked,
      asked,
      asked,
      { ...asked, from: 400, to: 500, count: 0 },
      { streamIds: ['body'], from: 0, to: now, count: 6 },
      { streamIds: ['body', 'heart'], count: 2 },
      { streamIds: ['*'], count: 3 },
      { streamIds: ['*'], count: 0 },
      { streamIds: ['diary'], count: 3 }
    ])
  })

  t.test('the granted streams if none are requested', async t => {
    const { alice } = await coffer(t)
    const [heart] = await filled(alice)
    const doctor = await alice.grantAll([
      { streamId: 'body', level: 'read' },
      { streamId: 'weight', level: 'none' },
      { streamId: 'diary', level: 'create-only' }
    ])
    await doctor.do('events.get')
    await doctor.do('events.get', { streams: ['*'] })
    await doctor.call('events.get', { streams: ['diary'] })
    await alice.do('events.update', { id: heart.id, update: { streamIds: ['heart', 'body'] } })
    await doctor.do('events.getOne', { id: heart.id })
    t.same(await reads(alice), [
      { streamIds: ['body'], count: 3 },
      { streamIds: ['body'], count: 3 },
      undefined
    ])
    t.same(await reads(alice, 'events.getOne'), [{ streamIds: ['heart', 'body'], count: 1 }])
    const own = await doctor.do('events.get', { streams: [`:_audit:access-${doctor.access.id}`] })
    t.equal(own.events.length, 4, 'its own records are told to an access')
  })

  t.test('no stream of an event that is unknown to the access', async t => {
    const { alice } = await coffer(t)
    await filled(alice)
    const event = await alice.event({ streamIds: ['heart', 'diary'], type: 'count/generic', content: 1 })
    const app = await alice.grant('read', 'heart')
    await app.do('events.getOne', { id: event.id })
    await alice.do('events.getOne', { id: event.id })
    t.same(await reads(alice, 'events.getOne'), [
      { streamIds: ['heart'], count: 1 },
      { streamIds: ['heart', 'diary'], count: 1 }
    ])
  })

  t.test('data points of series, by their times', async t => {
    const { alice } = await coffer(t)
    await alice.stream('heart')
    const { id, time } = await alice.event({
      streamIds: ['heart'],
      type: 'series:frequency/bpm',
      time: 5000,
      content: undefined
    })
    const points = Array.from({ length: 50 }, (_, index) => [index, 60 + index])
    await alice.http('POST', `/events/${id}/series`, {
      format: 'flatJSON',
      fields: ['deltaTime', 'value'],
      points
    })
    await alice.http('GET', `/events/${id}/series?fromDeltaTime=10&toDeltaTime=30`)
    t.same(await reads(alice, 'hfs.get'), [
      { streamIds: ['heart'], from: time + 10, to: time + 30, count: 20 }
    ])
  })

  t.test('samples and facts', async t => {
    const { alice } = await coffer(t)
    await filled(alice)
    const app = await alice.grant('read', 'body')
    await app.do('events.sample', { streams: ['heart'], fromTime: 0, toTime: 400, parts: 4 })
    await app.do('streams.facts')
    t.same(await reads(alice, 'events.sample'), [{ streamIds: ['heart'], from: 0, to: 400, count: 3 }])
    // The number is only recorded if it was known after the first turn, which is short on a busy machine.
    const [summary] = await reads(alice, 'streams.facts')
    t.same(summary, { streamIds: ['body'], ...(summary.hasMore ? { hasMore: true } : { count: 2 }) })
  })

  t.test('files', async t => {
    const { alice, server } = await coffer(t)
    await alice.stream('diary')
    const form = new FormData()
    form.append('event', JSON.stringify({ streamIds: ['diary'], type: 'file/attached', time: 77 }))
    form.append('file', new Blob(['text']), 'a.txt')
    const headers = { authorization: alice.token }
    const made = await fetch(`${server.url}/alice/events`, { method: 'POST', headers, body: form })
    const { event } = (await made.json()) as Answer
    await (
      await fetch(`${server.url}/alice/events/${event.id}/${event.attachments[0].id}`, { headers })
    ).text()
    const expected = { streamIds: ['diary'], from: 77, to: 77, count: 1 }
    t.same(await reads(alice, 'events.getAttachment'), [expected])
  })

  t.test('the progress of a long response at the time of the record', async t => {
    const { alice, server } = await coffer(t)
    await alice.stream('diary')
    const text = 'x'.repeat(20_000)
    const note = {
      method: 'events.create',
      params: { streamIds: ['diary'], type: 'note/txt', content: text }
    }
    for (let round = 0; round < 10; round++)
      await alice.http(
        'POST',
        '/',
        Array.from({ length: 100 }, () => note)
      )
    const options = { headers: { authorization: alice.token }, agent: false as const }
    const asked = request(`${server.url}/alice/events?limit=1000`, options).end()
    const [answer] = await once(asked, 'response')
    answer.pause()
    const [begun] = await reads(alice)
    t.ok(begun.hasMore, 'it is being read')
    t.ok(!(begun.count >= 1000))
    answer.resume()
    await once(answer, 'end')
    await alice.do('events.get', { streams: ['diary'], limit: 20 })
    t.same((await reads(alice)).at(-1), { streamIds: ['diary'], count: 20 }, 'one that is read at once')
  })

  t.test('at most 20 streams, with names of limited length', async t => {
    const { alice } = await coffer(t)
    const ids = Array.from({ length: 30 }, (_, index) => `s${index}`)
    for (const id of ids) await alice.stream(id)
    await alice.do('events.get', { streams: ids })
    t.same(await reads(alice), [{ streamIds: ids.slice(0, 20), isCut: true, count: 0 }])
  })

  t.test('little of a call without details', async t => {
    const { alice } = await coffer(t)
    const ids = Array.from({ length: 20 }, (_, index) => `${'x'.repeat(90)}${index}`)
    for (const id of ids) await alice.stream(id)
    const reader = await alice.grantAll(ids.map(streamId => ({ streamId, level: 'read' })))
    await reader.do('events.get')
    t.same(await reads(alice), [{ streamIds: ids.slice(0, 5), isCut: true, count: 0 }])
  })
})
