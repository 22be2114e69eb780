/** The export of an account, imported into another one, and into itself. (docs/api/imports.md) */
import t from 'tap'
import { coffer, type Answer, type Client } from '../../support/coffer.js'
import { fitFile } from '../../imports/fit-writer.js'
import { sent, takenOut, total, written, zipOf } from '../../support/importing.js'

t.setTimeout(900_000)
const all = { state: 'all', limit: 100_000, fromTime: -1e10, toTime: 4e10 }

/** Returns everything in an account except its own values. */
async function answers(client: Client): Promise<Answer> {
  const { events } = await client.do('events.get', all)
  const { streams } = await client.do('streams.get', { state: 'all' })
  return { events, streams }
}

/** Returns the same once series events have the duration of their series, which follows data points with a delay. */
async function settled(client: Client): Promise<Answer> {
  for (let pauseMs = 5; ; pauseMs = Math.min(30, pauseMs * 1.3)) {
    const found = await answers(client)
    const holders = found.events.filter(({ type }: Answer) => type.startsWith('series:'))
    if (holders.every(({ duration }: Answer) => duration !== undefined)) return found
    await new Promise(resolve => setTimeout(resolve, pauseMs))
  }
}

async function exported(client: Client): Promise<Buffer> {
  const answer = await fetch(`${client.service.server.url}/${client.username}/account/export`, {
    headers: { authorization: client.token }
  })
  return Buffer.from(await answer.arrayBuffer())
}

/** Returns the names of streams from the top down, with their contents. */
async function treeOf(client: Client, root: string): Promise<Record<string, unknown[]>> {
  const { streams } = await client.do('streams.get')
  const { events } = await client.do('events.get', { ...all, state: 'default' })
  const tree: Record<string, unknown[]> = {}
  const walk = (list: readonly Answer[], above: string): void => {
    for (const { children, id, name } of list) {
      const path = `${above}/${name}`
      tree[path] = events
        .filter((event: Answer) => event.streamIds.includes(id) && !event.type.startsWith('series:'))
        .map(({ content, description, duration, time, type }: Answer) => ({
          content,
          description,
          duration,
          time,
          type
        }))
      walk(children, path)
    }
  }
  const top = root === '' ? streams : streams.find(({ name }: Answer) => name === root).children
  walk(
    top.filter(({ id }: Answer) => !id.startsWith(':')),
    ''
  )
  return tree
}

async function pointsOf(client: Client): Promise<Record<string, unknown>> {
  const { events } = await client.do('events.get', { ...all, state: 'default' })
  const result: Record<string, unknown> = {}
  for (const { id, time, type } of events) {
    if (!type.startsWith('series:')) continue
    const { fields, points } = await client.do('hfs.get', { id, toDeltaTime: 4e10 })
    result[type] = points.map(([at, ...cells]: number[]) => [time + at!, ...cells, fields.length])
  }
  return result
}

async function filled(alice: Client): Promise<void> {
  await alice.stream('body')
  await alice.stream('heart', 'body')
  await alice.stream('diary')
  for (let at = 0; at < 200; at++)
    await alice.event({ streamIds: ['heart'], type: 'frequency/bpm', content: 60 + at, time: 1.6e9 + at })
  await alice.event({
    streamIds: ['diary', 'body'],
    type: 'note/txt',
    content: 'both',
    description: 'in two',
    time: 1.6e9,
    clientData: { app: 1 }
  })
  await alice.event({
    streamIds: ['diary'],
    type: 'activity/plain',
    content: null,
    time: 1.6e9 + 5000,
    duration: null
  })
  await alice.event({
    streamIds: ['diary'],
    type: 'activity/plain',
    content: null,
    time: 1.6e9,
    duration: 60
  })
  const { event: gone } = await alice.do('events.create', {
    streamIds: ['diary'],
    type: 'note/txt',
    content: 'trashed'
  })
  await alice.do('events.delete', { id: gone.id })
  // Events in streams in the trash; one of them is also in another stream.
  await alice.stream('old')
  await alice.stream('older', 'old')
  for (const streamIds of [['old'], ['older'], ['older', 'body']])
    await alice.event({ streamIds, type: 'note/txt', content: 'old', time: 1.6e9 + 6000 })
  await alice.do('streams.delete', { id: 'old' })
  const { event: single } = await alice.do('events.create', {
    streamIds: ['heart'],
    type: 'series:frequency/bpm',
    time: 1.6e9
  })
  const points = Array.from({ length: 3000 }, (_, at) => [at + 0.25, 60 + (at % 9)])
  await alice.do('hfs.add', { id: single.id, format: 'flatJSON', fields: ['deltaTime', 'value'], points })
  const { event: places } = await alice.do('events.create', {
    streamIds: ['body'],
    type: 'series:position/wgs84',
    time: 1.6e9
  })
  await alice.do('hfs.add', {
    id: places.id,
    format: 'flatJSON',
    fields: ['deltaTime', 'latitude', 'longitude', 'altitude'],
    points: [
      [0, 46, 6, 400],
      [1, 46.1, 6.1, null]
    ]
  })
}

t.test(
  'an account is imported below one stream, recognised when imported again, and removed completely',
  async t => {
    const service = await coffer(t)
    const { alice } = service
    await filled(alice)
    const bob = await service.user('bob')
    const before = await answers(bob)
    const zip = await exported(alice)
    const look = await sent(bob, 'alice.zip', zip)
    t.equal(look.state, 'looked', look.message)
    t.match(look.look, { format: 'coffer', records: { event: Number, point: 3002 } })
    t.same(await answers(bob), before, 'looking writes nothing')
    const first = await written(bob, look.id)
    t.equal(first.state, 'written', first.message)
    t.same(first.tally.broughtIn, {
      'frequency/bpm': 200 + 3000,
      'note/txt': 2,
      'activity/plain': 2,
      'position/wgs84': 2
    })
    t.equal(total(first.look.records), total(first.tally.broughtIn) + total(first.tally.leftOut))
    t.equal(first.tally.leftOut['in the trash'], 1 + 2)
    t.same(await treeOf(bob, 'Coffer'), await treeOf(alice, ''))
    t.same(await pointsOf(bob), await pointsOf(alice))
    const again = await written(bob, (await sent(bob, 'again.zip', zip)).id)
    t.same(again.tally.known, first.tally.broughtIn)
    t.same(again.tally.broughtIn, {})
    await takenOut(bob, again.id)
    await takenOut(bob, first.id)
    t.same(await answers(bob), before)
    const own = await written(alice, (await sent(alice, 'own.zip', zip)).id)
    const { 'frequency/bpm': _heartRates, 'position/wgs84': _positions, ...others } = first.tally.broughtIn
    t.same(own.tally.known, { ...others, 'frequency/bpm': 200 }, 'events of the account itself are known')
    t.same(
      own.tally.broughtIn,
      { 'frequency/bpm': 3000, 'position/wgs84': 2 },
      'points come beside those it has'
    )
  }
)

t.test('undoing an import restores the account, whatever the file contains', async t => {
  const service = await coffer(t)
  const { alice } = service
  await filled(alice)
  const before = JSON.stringify(await settled(alice))
  const night = { bedtime_start: '2024-05-01T23:00:00+02:00', bedtime_end: '2024-05-02T07:00:00+02:00' }
  const point = '<trkpt lat="46" lon="6"><time>2024-05-01T08:00:00Z</time></trkpt>'
  const observation = {
    resourceType: 'Observation',
    id: 'w',
    status: 'final',
    code: { coding: [{ system: 'http://loinc.org', code: '29463-7' }] },
    effectiveDateTime: '2024-05-01T08:00:00Z',
    valueQuantity: { value: 72, unit: 'kg', code: 'kg' }
  }
  const files = {
    'export.xml':
      '<HealthData><Record type="HKQuantityTypeIdentifierHeartRate" unit="count/min" startDate="2024-08-01 10:00:00 +0200" value="60"/></HealthData>',
    'a.gpx': `<gpx><trk><trkseg>${point}</trkseg></trk></gpx>`,
    'a.tcx':
      '<TrainingCenterDatabase><Activities><Activity Sport="Running"><Lap StartTime="2024-05-01T08:00:00Z"><Track><Trackpoint><Time>2024-05-01T08:00:00Z</Time><HeartRateBpm><Value>130</Value></HeartRateBpm></Trackpoint></Track></Lap></Activity></Activities></TrainingCenterDatabase>',
    'a.kml':
      '<kml><Document><Placemark><name>Hut</name><TimeStamp><when>2024-05-01T08:00:00Z</when></TimeStamp><Point><coordinates>6.3,46.3,0</coordinates></Point></Placemark></Document></kml>',
    'a.fit': fitFile(fit => {
      fit.define(0, 20, [
        [253, 0x86],
        [3, 0x02]
      ])
      fit.data(0, [1_000_000_000, 60])
    }),
    'fhir.json': JSON.stringify(observation),
    'omh.json': JSON.stringify({
      header: { id: 'a', schema_id: { namespace: 'omh', name: 'body-weight', version: '2.0' } },
      body: {
        body_weight: { value: 72, unit: 'kg' },
        effective_time_frame: { date_time: '2024-05-01T08:00:00Z' }
      }
    }),
    'Records.json': JSON.stringify({
      locations: [{ latitudeE7: 461000000, longitudeE7: 61000000, timestamp: '2024-05-01T08:00:00Z' }]
    }),
    'heart_rate-2024-05-01.json': JSON.stringify([
      { dateTime: '05/01/24 08:00:00', value: { bpm: 60, confidence: 1 } }
    ]),
    'sleepData.json': JSON.stringify([
      {
        sleepStartTimestampGMT: '2024-05-01T21:00:00.0',
        sleepEndTimestampGMT: '2024-05-02T05:00:00.0',
        calendarDate: '2024-05-02'
      }
    ]),
    'oura.json': JSON.stringify({ sleep: [{ ...night, total_sleep_duration: 27_000 }] }),
    'raw_tracker_steps.csv': 'start,duration,value\n2024-05-01T10:00:00+02:00,"[60,60]","[5,6]"\n',
    'electrocardiograms/ecg_1.csv':
      'Name,Ana\nRecorded Date,2024-08-01 10:00:00 +0200\nSample Rate,512 hertz\n\n1\n2\n3\n',
    'weights.csv': 'time,weight (kg)\n2024-01-01 08:00,70\n2024-01-02 08:00,71\n'
  }
  const found = await written(alice, (await sent(alice, 'all.zip', await zipOf(files))).id)
  t.equal(found.state, 'written', found.message)
  t.same(found.tally.leftOut, { 'of a kind without a type here': 1 }, 'all but the lap of the TCX')
  const { streams } = await alice.do('streams.get')
  t.same(
    streams
      .filter(({ id }: Answer) => !id.startsWith(':') && !['body', 'diary'].includes(id))
      .map(({ name }: Answer) => name)
      .toSorted(),
    [
      'Apple Health',
      'CSV',
      'FHIR',
      'FIT',
      'Fitbit',
      'GPX',
      'Garmin Connect',
      'Google location history',
      'KML',
      'Open mHealth',
      'Oura',
      'TCX',
      'Withings'
    ]
  )
  await takenOut(alice, found.id)
  t.equal(JSON.stringify(await answers(alice)), before)
})

t.test('streams keep the marks of their measures', async t => {
  const service = await coffer(t)
  const { alice } = service
  await alice.do('streams.create', {
    id: 'weight',
    name: 'Weight',
    clientData: { 'coffer:measure': ':none' }
  })
  await alice.do('streams.create', { id: 'home', name: 'Home', clientData: { 'coffer:measure': 'waist' } })
  await alice.do('streams.create', { id: 'tape', name: 'Tape', parentId: 'home' })
  await alice.do('streams.create', { id: 'plain', name: 'Body weight' })
  // One that is below a stream with a mark has no measure by its name.
  await alice.do('streams.create', { id: 'gym', name: 'Gym', clientData: { 'coffer:measure': ':none' } })
  await alice.do('streams.create', { id: 'lifted', name: 'Body mass', parentId: 'gym' })
  // Without any mark, the type says the measure, whatever the name would mean elsewhere.
  await alice.do('streams.create', { id: 'places', name: 'Places' })
  const content = { latitude: 46, longitude: 6 }
  await alice.event({ streamIds: ['places'], type: 'position/wgs84', content, time: 1e9 })
  // The mark of a stream that an event is in besides its first one counts, too.
  for (const [at, streamIds] of [['plain', 'home'], ['weight'], ['tape'], ['lifted']].entries())
    await alice.event({ streamIds, type: at === 2 ? 'length/cm' : 'mass/kg', content: 80, time: 1e9 + at })
  const bob = await service.user('bob')
  const { id, look } = await sent(bob, 'alice.zip', await exported(alice))
  const measures = look.lanes.map(({ measure = null, stream }: Answer) => [stream, measure])
  t.same(Object.fromEntries(measures), {
    'Body weight': 'weight',
    Tape: 'waist',
    Weight: null,
    'Body mass': null,
    Places: 'position'
  })
  await written(bob, id)
  const marks: Record<string, unknown> = {}
  const walk = (list: readonly Answer[]): void => {
    for (const each of list) {
      marks[each.name] = each.clientData?.['coffer:measure']
      walk(each.children)
    }
  }
  walk((await bob.do('streams.get')).streams)
  t.match(marks, { Home: 'waist', Weight: ':none' })
  for (const name of ['Body weight', 'Tape', 'Body mass', 'Places']) t.equal(marks[name], undefined, name)
  const { facts } = await bob.do('measures.facts', { measures: ['weight', 'position', 'saved-place'] })
  t.match(facts, [
    { measure: 'weight', count: 1 },
    { measure: 'position', count: 1 }
  ])
  t.equal(facts.length, 2)
})
