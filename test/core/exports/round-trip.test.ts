/** Import readers understand what was exported. */
import t from 'tap'
import { collected } from '../../imports/collecting.js'
import { coffer, type Answer, type Client } from '../../support/coffer.js'
import { Random } from '../../support/random.js'

async function exported({ service, token, username }: Client, query: string): Promise<string> {
  const url = `${service.server.url}/${username}/events/export?${query}`
  const response = await fetch(url, { headers: { authorization: token } })
  const text = await response.text()
  if (!response.ok) throw new Error(text)
  return text
}

const seed = Number(process.env['COFFER_TEST_SEED'] ?? Date.now() % 1e6)

/** Streams in the languages of the pages, with the types of their events. */
const coded: readonly (readonly [stream: string, type: string, loinc: string])[] = [
  ['Weight', 'mass/kg', '29463-7'],
  ['Gewicht', 'mass/lb', '29463-7'],
  ['Poids', 'mass/st', '29463-7'],
  ['Morning weight', 'mass/g', '29463-7'],
  ['Height', 'length/cm', '8302-2'],
  ['Grösse', 'length/m', '8302-2'],
  ['Stature', 'length/in', '8302-2'],
  ['BMI', 'pressure/kg-m2', '39156-5'],
  ['Puls', 'frequency/bpm', '8867-4'],
  ['Ruhepuls', 'frequency/bpm', '40443-4'],
  ['Breath', 'frequency/brpm', '9279-1'],
  ['Body temperature', 'temperature/c', '8310-5'],
  ['Fieber', 'temperature/f', '8310-5'],
  ['Oxygen saturation', 'ratio/percent', '59408-5'],
  ['Body fat', 'ratio/percent', '41982-0'],
  ['Blood glucose', 'density/mg-dl', '2339-0'],
  ['Blutzucker', 'density/mmol-l', '15074-8'],
  ['Steps', 'count/steps', '55423-8'],
  ['Blood pressure', 'blood-pressure/mmhg-bpm', '85354-9'],
  ['Sleep', 'sleep/analysis', '93832-4']
]

/** Streams that look similar, but are something else. */
const others: readonly (readonly [stream: string, type: string])[] = [
  ['Muscle weight', 'mass/kg'],
  ['Sugar eaten', 'mass/g'],
  ['Living room temperature', 'temperature/c'],
  ['Humidity', 'ratio/percent'],
  ['Tour de taille', 'length/cm'],
  // The German word for the waist, and the French one for the height.
  ['Taille', 'length/cm'],
  ['Cadence', 'frequency/bpm'],
  ['Diary', 'note/txt']
]

interface Plain {
  readonly type: string
  readonly time: number
  readonly duration: number | undefined
  readonly content: unknown
}

function plain({ content, duration, time, type }: Plain): Plain {
  return {
    type,
    // Text has millisecond resolution.
    time: Math.round(time * 1000) / 1000,
    duration: duration === undefined ? undefined : Math.round(duration * 1000) / 1000,
    content
  }
}

/** Returns a value as FHIR allows it: no heights in metres, and no weights in stones. */
function toAllowedUnit(type: string, content: unknown): Pick<Plain, 'content' | 'type'> {
  const [other, factor] = { 'length/m': ['length/cm', 100], 'mass/st': ['mass/lb', 14] }[type] ?? [type, 1]
  const value = typeof content === 'number' ? Math.round(content * (factor as number) * 1e6) / 1e6 : content
  return { type: other as string, content: value }
}

function inOrder(events: readonly Plain[]): string[] {
  return events.map(event => JSON.stringify(plain(event))).toSorted()
}

t.test(`observations of every coded kind survive a round trip (seed ${seed})`, async t => {
  const random = new Random(seed)
  const { alice } = await coffer(t)
  const contentOf = (type: string): unknown => {
    const number = (): number => Math.round(random.next() * 10 ** (1 + random.below(3)) * 1e4) / 1e4
    if (type === 'blood-pressure/mmhg-bpm')
      return { systolic: number(), diastolic: number(), ...(random.chance(0.5) && { rate: number() }) }
    if (type === 'sleep/analysis') return { analysis: 'asleep' }
    return type === 'note/txt' ? 'a note' : type === 'count/steps' ? random.below(20_000) : number()
  }
  const sent: Plain[] = []
  for (const [at, [name, type]] of [...coded, ...others].entries()) {
    const id = `stream-${at}`
    await alice.do('streams.create', { id, name })
    await alice.do('streams.create', { id: `${id}-scale`, name: "Ana's scale", parentId: id })
    for (let n = 0; n < 5; n++) {
      const duration = type === 'sleep/analysis' || random.chance(0.3) ? 60 + random.below(9000) : undefined
      const event = {
        streamIds: [random.chance(0.5) ? id : `${id}-scale`],
        type,
        time: 1e9 + random.below(1e11) / 1000,
        content: contentOf(type),
        ...(duration !== undefined && { duration })
      }
      await alice.event(event)
      if (at < coded.length) sent.push({ ...event, duration, ...toAllowedUnit(type, event.content) })
    }
  }
  const zone = random.pick(['', '&zone=Europe/Zurich', '&zone=America/St_Johns'])
  const bundle = await exported(alice, `format=fhir${zone}`)
  const observations = JSON.parse(bundle).entry.map(({ resource }: Answer) => resource)
  t.same(
    new Set(observations.map(loincOf)),
    new Set([...coded.map(([, , loinc]) => loinc), undefined]),
    'each has its code'
  )
  t.equal(observations.filter((each: Answer) => loincOf(each) === undefined).length, 5 * others.length)
  t.equal(new Set(JSON.parse(bundle).entry.map(({ fullUrl }: Answer) => fullUrl)).size, observations.length)
  for (const text of [bundle, await exported(alice, `format=fhir-ndjson${zone}`)]) {
    const found = await collected(text)
    const kept = found.data.filter(({ type }) => type !== 'clinical/fhir')
    t.same(inOrder(kept as never), inOrder(sent))
    t.equal(found.data.length, observations.length)
    t.same(found.leftOut, {})
    t.ok(kept.some(({ source }) => source === "Ana's scale"))
  }
})

t.test('data points become observations on request', async t => {
  const { alice } = await coffer(t)
  await alice.do('streams.create', { id: 'pulse', name: 'Pulse' })
  const holder = await alice.event({
    streamIds: ['pulse'],
    type: 'series:frequency/bpm',
    content: undefined,
    time: 1e9
  })
  const points = Array.from({ length: 3000 }, (_, n) => [n, 60 + (n % 50), n % 2 === 0 ? 1 : null])
  await alice.do('hfs.add', {
    id: holder.id,
    format: 'flatJSON',
    fields: ['deltaTime', 'value', 'duration'],
    points
  })
  t.notOk(JSON.parse(await exported(alice, 'format=fhir')).entry, 'not unless asked')
  const { data } = await collected(await exported(alice, 'format=fhir&series=true'))
  t.same(
    data.map(({ content, duration, time, type }) => [type, time - 1e9, content, duration ?? null]),
    points.map(([at, value, duration]) => ['frequency/bpm', at, value, duration])
  )
})

t.test('what is in the trash is not imported', async t => {
  const { alice } = await coffer(t)
  await alice.stream('body')
  await alice.event({ streamIds: ['body'], type: 'mass/kg', content: 70, time: 1e9 })
  const trashed = [
    { type: 'mass/kg', content: 71 },
    { type: 'blood-pressure/mmhg-bpm', content: { systolic: 142, diastolic: 88 } },
    { type: 'series:mass/kg', content: undefined }
  ]
  for (const [at, fields] of trashed.entries()) {
    const { id, type } = await alice.event({ streamIds: ['body'], time: 1e9 + at + 1, ...fields })
    if (type.startsWith('series:'))
      await alice.do('hfs.add', { id, format: 'flatJSON', fields: ['deltaTime', 'value'], points: [[1, 72]] })
    await alice.service.server.settle()
    await alice.do('events.delete', { id })
  }
  for (const format of ['csv', 'ndjson']) {
    const { data } = await collected(await exported(alice, `format=${format}&state=all&series=true`))
    t.same(
      data.map(({ content }) => content),
      [70],
      format
    )
  }
})

t.test('imported resources in the trash are marked as errors', async t => {
  const { alice } = await coffer(t)
  await alice.do('streams.create', { id: 'records', name: 'Records' })
  const add = async (resource: object): Promise<string> => {
    const { id } = await alice.event({
      streamIds: ['records'],
      type: 'clinical/fhir',
      content: { displayName: 'record', clinicalType: 'labResultRecord' },
      clientData: { 'fhir:resource': resource }
    })
    await alice.do('events.delete', { id })
    return id
  }
  await add({ resourceType: 'Observation', status: 'final', code: { text: 'ferritin' } })
  await add({ resourceType: 'Condition', clinicalStatus: { text: 'active' }, code: { text: 'flu' } })
  await add({ resourceType: 'Observation', code: { text: 'x'.repeat(300_000) }, status: 'final' })
  const exported = async (query: string): Promise<Answer[]> =>
    (await alice.http('GET', `/events/export?format=fhir-ndjson&sortAscending=true&${query}`)).body
      .split('\n')
      .filter((line: string) => line !== '')
      .map((line: string) => JSON.parse(line))
  const [observation, condition, large] = await exported('state=trashed')
  t.same(observation, {
    resourceType: 'Observation',
    status: 'entered-in-error',
    code: { text: 'ferritin' }
  })
  const system = 'http://terminology.hl7.org/CodeSystem/condition-ver-status'
  t.same(condition, {
    resourceType: 'Condition',
    code: { text: 'flu' },
    verificationStatus: { coding: [{ system, code: 'entered-in-error' }] }
  })
  t.equal(large.status, 'entered-in-error')
  t.equal(large.code.text.length, 300_000)
  t.same(await exported(''), [])
})

t.test('imported resources are exported unchanged', async t => {
  const { alice } = await coffer(t)
  await alice.stream('care')
  const resource = {
    resourceType: 'Immunization',
    id: 'x',
    occurrenceDateTime: '2020-01-01',
    extra: { a: [1] }
  }
  const content = {
    displayName: 'Measles',
    clinicalType: 'immunizationRecord',
    fhir: { identifier: 'x', resourceType: 'immunization' }
  }
  await alice.event({
    streamIds: ['care'],
    type: 'clinical/fhir',
    content,
    clientData: { 'fhir:resource': resource },
    time: Date.UTC(2020, 0, 1) / 1000
  })
  await alice.event({
    streamIds: ['care'],
    type: 'clinical/fhir',
    content,
    clientData: { 'fhir:resource': 'no' }
  })
  const { entry } = JSON.parse(await exported(alice, 'format=fhir&sortAscending=true'))
  t.same(entry[0].resource, resource)
  t.match(entry[1].resource, { resourceType: 'Observation', component: [{ valueString: 'Measles' }, {}, {}] })
})

/** Returns elements by name, with depth and order; throws if the XML is not well-formed. */
function elementsOf(xml: string): { name: string; parent: string; attributes: string }[] {
  const open: string[] = []
  const found: { name: string; parent: string; attributes: string }[] = []
  for (const [, closing, name = '', attributes = '', empty] of xml.matchAll(
    /<(\/?)([\w:]+)([^<>]*?)(\/?)>/g
  )) {
    if (closing === '/') {
      if (open.pop() !== name) throw new Error(`${name} is not open`)
    } else {
      found.push({ name, parent: open.at(-1) ?? '', attributes })
      if (empty !== '/') open.push(name)
    }
  }
  if (open.length > 0) throw new Error(`${open.join()} stay open`)
  return found
}

/** Returns positions as comparable texts. */
function positions(data: readonly Plain[]): string[] {
  return data
    .filter(({ type }) => type === 'position/wgs84')
    .map(({ content, time }) => JSON.stringify([time, Object.entries(content as object).toSorted()]))
    .toSorted()
}

function loincOf({ code }: Answer): string | undefined {
  return code.coding?.[0].code
}

/** The order of the parts of a point in GPX. */
const partsOfPoint = ['ele', 'time', 'name', 'extensions']

function assertGpx(t: import('tap').Test, xml: string): void {
  const elements = elementsOf(xml)
  t.equal(elements[0]!.name, 'gpx')
  const top = elements.filter(({ parent }) => parent === 'gpx').map(({ name }) => name)
  t.same(
    top,
    top.toSorted((a, b) => ['wpt', 'trk'].indexOf(a) - ['wpt', 'trk'].indexOf(b)),
    'waypoints first'
  )
  t.same(
    [...new Set(top)].filter(name => !['wpt', 'trk'].includes(name)),
    []
  )
  let last = -1
  for (const { name, parent, attributes } of elements) {
    if (name === 'wpt' || name === 'trkpt') {
      last = -1
      const [, lat, lon] = /^ lat="(-?[\d.]+)" lon="(-?[\d.]+)"$/.exec(attributes) ?? []
      if (!(Math.abs(Number(lat)) <= 90 && Number(lon) >= -180 && Number(lon) < 180)) t.fail(attributes)
    } else if (parent === 'wpt' || parent === 'trkpt') {
      const place = partsOfPoint.indexOf(name)
      if (place <= last) t.fail(`${name} is out of order`)
      last = place
    }
    if (name === 'trkpt' && parent !== 'trkseg') t.fail(`a point in ${parent}`)
  }
}

t.test(`tracks survive a round trip (seed ${seed})`, async t => {
  const random = new Random(seed)
  const service = await coffer(t)
  const { alice } = service
  for (const id of ['phone', 'watch', 'empty']) await alice.do('streams.create', { id, name: `${id} & <co>` })
  const place = (): Record<string, number> => ({
    latitude: Math.round(random.next() * 180e6 - 90e6) / 1e6,
    longitude: Math.round(random.next() * 359e6 - 180e6) / 1e6,
    ...(random.chance(0.5) && { altitude: random.below(4000) }),
    ...(random.chance(0.5) && { speed: random.below(300) / 10 })
  })
  const sent: { time: number; content: Record<string, number> }[] = []
  const send = async (stream: string, time: number, fields: object = {}): Promise<void> => {
    const content = place()
    await alice.event({ streamIds: [stream], type: 'position/wgs84', time, content, ...fields })
    sent.push({ time, content })
  }
  // Two tracks at the same time, with a break in between; then a single position, and a visit.
  for (let n = 0; n < 30; n++) {
    await send('phone', 1e9 + n * 60)
    await send('watch', 1e9 + n * 60 + 30)
    await send('phone', 1e9 + 7200 + n * 60)
  }
  await send('phone', 1.1e9)
  await send('watch', 1.2e9, { duration: 3600, description: 'Lunch & <more>' })
  await send('watch', 1.2e9 + 60)
  const holder = await alice.event({
    streamIds: ['watch'],
    type: 'series:position/wgs84',
    content: undefined,
    time: 1.3e9
  })
  const fields = ['latitude', 'longitude', 'altitude', 'speed']
  const points = Array.from({ length: 5000 }, (_, n) => {
    const content = place()
    const at = n < 2500 ? n : n + 5000
    sent.push({ time: 1.3e9 + at, content })
    return [at, ...fields.map(field => content[field] ?? null)]
  })
  await alice.do('hfs.add', { id: holder.id, format: 'flatJSON', fields: ['deltaTime', ...fields], points })
  await service.server.settle()

  const xml = await exported(alice, 'format=gpx')
  assertGpx(t, xml)
  t.equal(xml.match(/<trk>/g)?.length, 2, 'a track a stream')
  t.equal(xml.match(/<trkseg>/g)?.length, 2 + 1 + 2, 'segments by gaps')
  t.equal(xml.match(/<wpt/g)?.length, 3)
  t.match(xml, '<name>Lunch &amp; &lt;more&gt;</name>')
  t.match(xml, '<trk><name>phone &amp; &lt;co&gt;</name>')
  const found = await collected(xml)
  const withoutSpeedOfWaypoints = sent.map(each => ({ ...each, type: 'position/wgs84' }))
  const [got, wanted] = [positions(found.data as never), positions(withoutSpeedOfWaypoints as never)]
  // The reader ignores the speed of waypoints.
  t.equal(got.length, wanted.length)
  t.ok(got.filter(one => !wanted.includes(one)).length <= 3)
  t.equal(found.data.filter(({ type }) => type === 'activity/plain').length, 5)
  t.same(found.warnings, [])

  t.equal((await exported(alice, 'format=gpx&streams=phone')).match(/<trk>/g)?.length, 1)
  assertGpx(t, await exported(alice, 'format=gpx&streams=empty'))
  t.notMatch(await exported(alice, 'format=gpx&types=mass/*'), /<wpt|<trk/)
  t.equal((await exported(alice, 'format=gpx&types=series:position/*')).match(/<trkseg>/g)?.length, 2)
  const within = await exported(alice, `format=gpx&fromTime=${1e9 + 60}&toTime=${1e9 + 120}&streams=phone`)
  t.equal(within.match(/<trkpt/g)?.length, 2)
})

t.test('positions around series are all in a track', async t => {
  const { alice, server } = await coffer(t)
  await alice.stream('phone')
  const type = 'position/wgs84'
  const sent: string[] = []
  const send = async (latitude: number, time: number): Promise<void> => {
    await alice.event({ streamIds: ['phone'], type, time, content: { latitude, longitude: 7 } })
    sent.push(`${latitude} ${time}`)
  }
  const record = async (latitude: number, time: number): Promise<void> => {
    const event = { streamIds: ['phone'], type: `series:${type}`, time, content: undefined }
    const { id } = await alice.event(event)
    const fields = ['deltaTime', 'latitude', 'longitude']
    await alice.do('hfs.add', { id, format: 'flatJSON', fields, points: [[0, latitude, 7]] })
    sent.push(`${latitude} ${time}`)
  }
  const begin = 1e9
  // A walk that a watch records, between positions of the phone: one before it and one after it, or two.
  await send(1, begin)
  await record(2, begin + 60)
  await send(3, begin + 120)
  await record(4, begin + 180)
  await send(5, begin + 240)
  await send(6, begin + 300)
  await record(7, begin + 360)
  await server.settle()
  const xml = await exported(alice, 'format=gpx')
  assertGpx(t, xml)
  const found = xml.matchAll(/<(?:trkpt|wpt) lat="(\d)" lon="7"><time>([^<]+)/g)
  t.same(
    Array.from(found, ([, latitude, time]) => `${latitude} ${Date.parse(time!) / 1000}`).toSorted(),
    sent
  )
  t.equal(xml.match(/<wpt/g)?.length, 2)
})
