/** Long responses: they end with their access, then do not look complete, and hold a limited amount of memory. */
import { open } from 'node:fs/promises'
import t, { type Test } from 'tap'
import { coffer, openCoffer, type Client } from '../support/coffer.js'
import { rotate } from '../support/rotation.js'
import { SlowClient } from '../support/slow-client.js'

t.setTimeout(600_000)

const minute = 60
/** More than the system buffers for a connection. */
const buffered = 14 * 1024 * 1024
const much = 2 * buffered

/** Returns the path of a response for a token. */
type PathFor = (token: string) => string

/** Lets pending work continue, including threads of the system. */
async function turns(count = 10): Promise<void> {
  for (let turn = 0; turn < count; turn++) await open(import.meta.filename).then(file => file.close())
}

/** Stores events, as many as calendars show at most, in characters that take three bytes. */
async function addDiary(user: Client, count = 5000): Promise<void> {
  const now = user.service.clock.now()
  await user.stream('diary')
  const long = '\u20ac'.repeat(119)
  for (let at = 0; at < count; at += 1000)
    await user.do(
      'callBatch',
      Array.from({ length: 1000 }, (_, n) => {
        const content = `${at + n}${long}\n${'\u20ac'.repeat(190)}`
        return {
          method: 'events.create',
          params: { streamIds: ['diary'], type: 'note/txt', time: now - at - n, content }
        }
      })
    )
}

/** Stores weights of many scales. Returns the path of a query with as many values as one may have, of about 25 MB. */
async function addScales(user: Client): Promise<string> {
  const now = user.service.clock.now()
  await user.stream('body')
  await user.do(
    'callBatch',
    Array.from({ length: 90 }, (_, at) => [
      { method: 'streams.create', params: { id: `scale-${at}`, name: `Scale ${at}`, parentId: 'body' } },
      {
        method: 'events.create',
        params: { streamIds: [`scale-${at}`], type: 'mass/kg', content: 70.125, time: now - 10_999 * minute }
      }
    ]).flat()
  )
  const params = new URLSearchParams({
    query: 'last_over_time(coffer_mass_kg[10d])',
    start: String(now - 10_990 * minute),
    end: String(now),
    step: String(minute)
  })
  return `/prometheus/api/v1/query_range?${String(params)}`
}

/** Stores large notes. */
async function addNotes(alice: Client): Promise<void> {
  await alice.stream('notes')
  const content = 'x'.repeat(500_000)
  for (let size = 0; size < much; size += content.length)
    await alice.event({ streamIds: ['notes'], content, time: size })
}

/** Stores a resource of FHIR. Returns the id of its event. */
async function addResource(alice: Client): Promise<string> {
  await alice.stream('records')
  const component = Array.from({ length: 6000 }, (_, at) => ({
    code: { text: `part ${at} ${'y'.repeat(4600)}` },
    valueQuantity: { value: at, unit: 'mg', system: 'http://unitsofmeasure.org', code: 'mg' }
  }))
  const { id } = await alice.event({
    streamIds: ['records'],
    type: 'clinical/fhir',
    content: { displayName: 'x', clinicalType: 'labResultRecord' },
    clientData: { 'fhir:resource': { resourceType: 'Observation', status: 'final', code: {}, component } }
  })
  const reader = await alice.grant('read', '*', { type: 'app' })
  const { body } = await reader.http('GET', '/fhir/Observation')
  if (body.entry?.[0]?.resource?.component?.length !== component.length)
    throw new Error('It should be complete at first')
  return id
}

/** Adds a series of which each form is long. */
async function addPoints(
  alice: Client,
  stream: string,
  type: string,
  fields: readonly string[],
  value: number
): Promise<void> {
  await alice.stream(stream)
  const { id } = await alice.event({ streamIds: [stream], type: `series:${type}`, content: null, time: 0 })
  const count = 10_000
  for (let from = 0; from < 1_400_000; from += count) {
    const points = Array.from({ length: count }, (_, at) => [from + at, ...fields.map(() => value)])
    await alice.do('hfs.add', { id, format: 'flatJSON', fields: ['deltaTime', ...fields], points })
  }
}

const notes = 'types=note/txt'
const series = 'types=series:frequency/bpm&series=true'
/** Long responses by name: functions that add what each kind of them needs, and return their paths. */
const responses: readonly ((alice: Client) => Promise<Readonly<Record<string, string | PathFor>>>)[] = [
  async alice => {
    await addNotes(alice)
    return {
      'a wide table': `/events/export?format=csv-wide&${notes}`,
      'a list of events': `/events/export?format=json&${notes}`,
      'events line by line': `/events/export?format=ndjson&${notes}`,
      'a Parquet file': `/events/export?format=parquet&${notes}`
    }
  },
  async alice => {
    await addPoints(alice, 'heart', 'frequency/bpm', ['value'], 60)
    return {
      'a long table': `/events/export?format=csv&${series}`,
      'data points line by line': `/events/export?format=ndjson&${series}`,
      'a bundle of observations': `/events/export?format=fhir&${series}`,
      'observations line by line': `/events/export?format=fhir-ndjson&${series}`
    }
  },
  async alice => {
    await addPoints(alice, 'ways', 'position/wgs84', ['latitude', 'longitude'], 47.123456789)
    return { tracks: '/events/export?format=gpx' }
  },
  async alice => {
    const id = await addResource(alice)
    return { 'a resource of FHIR': `/fhir/Observation/${id}`, 'a search in FHIR': '/fhir/Observation' }
  },
  async alice => {
    await addDiary(alice)
    return { 'a calendar': token => `/feed.ics?auth=${token}` }
  },
  async alice => ({ 'a query of Prometheus': await addScales(alice) })
]

/** Begins to read a response, and ends the access. */
async function assertEnds(
  t: Test,
  alice: Client,
  path: string | PathFor,
  end: (reader: Client) => unknown
): Promise<void> {
  const reader = await alice.grant('read', '*', { type: 'app', expireAfter: 10 })
  const slow = await SlowClient.get(reader, typeof path === 'string' ? path : path(reader.token))
  t.equal(await slow.status(), 200)
  await turns()
  await end(reader)
  const before = slow.received
  await slow.takeAll()
  t.notOk(slow.isWhole, 'is not complete')
  t.ok(slow.hasEnded, 'and ends')
  t.ok(slow.received - before < buffered, `${slow.received - before} bytes more`)
}

t.test('a response to an access that has ended', async t => {
  const { alice, clock } = await coffer(t, { limits: { bodyBytes: 64 * 1024 * 1024 } })
  for (const add of rotate(t, responses)) {
    const paths = Object.entries(await add(alice))
    for (const [name, path] of paths)
      await t.test(`ends early: ${name}`, async t => {
        await assertEnds(t, alice, path, async ({ access: { id } }) => {
          await alice.do('accesses.delete', { id })
        })
      })
    const [[name, path]] = paths as [(typeof paths)[number]]
    await t.test(`ends early when it expires: ${name}`, async t => {
      // Not so long that the client counts as stalled.
      await assertEnds(t, alice, path, () => clock.advance(11))
    })
  }
})

t.test('feeds of an account have their turn one by one, and a limited number waits', async t => {
  const service = await coffer(t)
  const { alice } = service
  await addDiary(alice)
  await alice.stream('small')
  const reader = await alice.grant('read', '*', { type: 'app' })
  const other = await alice.grant('read', 'small', { type: 'app' })
  const bob = await service.user('bob')
  await bob.stream('diary')
  const hers = await bob.grant('read', 'diary', { type: 'app' })
  const order: string[] = []
  const get = async (user: Client, path: string): Promise<number> => {
    const url = `${service.server.url}/${user.username}/${path}auth=${user.token}`
    const response = await fetch(url)
    // Rejects if it is not complete.
    await response.arrayBuffer()
    return response.status
  }
  const note = async (name: string, status: Promise<number>): Promise<void> => {
    t.equal(await status, 200, name)
    order.push(name)
  }
  const heavy = Array.from({ length: 4 }, async () => await note('heavy', get(reader, 'feed.ics?')))
  const light = Array.from({ length: 130 }, async () => await get(reader, 'feed.atom?streams=small&'))
  const others = [
    note('other access', get(other, 'feed.atom?')),
    note('other account', get(hers, 'feed.atom?'))
  ]
  await Promise.all([...heavy, ...others])
  const statuses = await Promise.all(light)
  t.ok(statuses.filter(status => status === 429).length >= 20, statuses.join())
  for (const name of ['other access', 'other account'])
    t.ok(order.indexOf(name) < order.lastIndexOf('heavy'), order.join())
  t.equal(await get(reader, 'feed.atom?streams=small&'), 200)
})

t.test('long responses take places by their size', async t => {
  const { alice, clock, server } = await openCoffer(t, { limits: { longAnswersPerAccess: 20 } })
  const query = await addScales(alice)
  const reader = await alice.grant('read', 'body', { type: 'app' })
  const load = (): { open: number; waiting: number } => server.services.longResponses.load
  const slow = await SlowClient.get(reader, query)
  t.equal(await slow.status(), 200)
  t.ok(load().open >= 10 && load().open <= 20, `${load().open} places`)
  const form = query.slice(query.indexOf('?') + 1)
  const second = SlowClient.send(
    server.url,
    [
      `POST /${alice.username}/prometheus/api/v1/query_range HTTP/1.1`,
      'Host: localhost',
      `Authorization: ${reader.token}`,
      'Content-Type: application/x-www-form-urlencoded',
      `Content-Length: ${form.length}`,
      '',
      form
    ].join('\r\n'),
    true
  )
  while (load().waiting < 1) await turns()
  const small = await alice.http('GET', query.replace('coffer_mass_kg', 'coffer_mass_kg{stream="scale-1"}'))
  t.equal(small.status, 200, 'others of the account have theirs')
  t.equal(small.body.data.result.length, 1)
  clock.advance(11)
  const refused = await second
  t.equal(await refused.status(), 429)
  t.match(refused.text, /"errorType":"unavailable"/)
  slow.leave()
  refused.leave()
  while (load().open > 0) await turns()
  const again = await SlowClient.get(reader, query)
  t.equal(await again.status(), 200)
  const inAscii = load().open
  again.leave()
  while (load().open > 0) await turns()
  await alice.do('streams.update', { id: 'scale-1', update: { name: 'Waage \u20ac' } })
  const wide = await SlowClient.get(reader, query.replace('[10d]', '[9d]'))
  t.equal(await wide.status(), 200)
  t.ok(inAscii < 20 && load().open === 20, `a text of two bytes each takes more: ${load().open} places`)
  wide.leave()
})
