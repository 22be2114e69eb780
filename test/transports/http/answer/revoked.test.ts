/** Accesses that end while a client takes a long response: the response ends too, and does not look complete. */
import t, { type Test } from 'tap'
import { coffer, type Client } from '../../../support/coffer.js'
import { rotate } from '../../../support/rotation.js'
import { SlowClient } from '../../../support/slow-client.js'

t.setTimeout(600_000)

/** More than the system buffers for a connection. */
const buffered = 14 * 1024 * 1024
const much = 2 * buffered

const series = 'types=series:frequency/bpm&series=true'
/** Long responses by name, after what each kind of them needs. */
const responses: readonly (readonly [
  (alice: Client) => Promise<unknown>,
  Readonly<Record<string, string>>
])[] = [
  [
    addNotes,
    {
      'a wide table': '/events/export?format=csv-wide&types=note/txt',
      'a list of events': '/events/export?format=json&types=note/txt',
      'events line by line': '/events/export?format=ndjson&types=note/txt',
      'a Parquet file': '/events/export?format=parquet&types=note/txt'
    }
  ],
  [
    alice => addPoints(alice, 'heart', 'frequency/bpm', ['value'], 60),
    {
      'a long table': `/events/export?format=csv&${series}`,
      'data points line by line': `/events/export?format=ndjson&${series}`,
      'a bundle of observations': `/events/export?format=fhir&${series}`,
      'observations line by line': `/events/export?format=fhir-ndjson&${series}`
    }
  ],
  [
    alice => addPoints(alice, 'ways', 'position/wgs84', ['latitude', 'longitude'], 47.123456789),
    { tracks: '/events/export?format=gpx' }
  ],
  [addResource, { 'a resource of FHIR': '/fhir/Observation/:id', 'a search in FHIR': '/fhir/Observation' }]
]

async function addNotes(alice: Client): Promise<void> {
  await alice.stream('diary')
  const content = 'x'.repeat(500_000)
  for (let size = 0; size < much; size += content.length) await alice.event({ content, time: size })
}

/** Returns the id of the event with the resource. */
async function addResource(alice: Client): Promise<string> {
  await alice.stream('records')
  const component = Array.from({ length: 60_000 }, (_, at) => ({
    code: { text: `part ${at} ${'y'.repeat(400)}` },
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
  if (body.entry?.[0]?.resource?.component?.length !== 60_000)
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

/** Begins to read a response, and ends the access. */
async function assertEnds(t: Test, alice: Client, path: string): Promise<void> {
  const reader = await alice.grant('read', '*', { type: 'app' })
  const slow = await SlowClient.get(reader, path)
  t.equal(await slow.status(), 200)
  await slow.take(100_000)
  await alice.do('accesses.delete', { id: reader.access.id })
  const before = slow.received
  await slow.takeAll()
  t.notOk(slow.isWhole, 'is not complete')
  t.ok(slow.hasEnded, 'and ends')
  t.ok(slow.received - before < buffered, `${slow.received - before} bytes more`)
}

t.test('a response to an access that has ended', async t => {
  const { alice } = await coffer(t, { limits: { bodyBytes: 64 * 1024 * 1024 } })
  for (const [add, paths] of rotate(t, responses)) {
    const added = await add(alice)
    for (const [name, path] of Object.entries(paths))
      await t.test(
        `ends early: ${name}`,
        async t => await assertEnds(t, alice, path.replace(':id', String(added)))
      )
  }
})
