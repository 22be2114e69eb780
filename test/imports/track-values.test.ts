/** Tracks of GPX, TCX and KML: each value of a point is imported or counted, whatever is wrong with the others. */
import t from 'tap'
import { total, zipOf } from '../support/importing.js'
import { collected, type Collected } from './collecting.js'

/** Returns whether each record has been counted exactly once. */
function addsUp({ data, leftOut, records }: Collected): boolean {
  return total(records) === data.length + total(leftOut)
}

function valuesBy(found: Collected, type: string): unknown[] {
  return found.data.filter(datum => datum.type === type).map(({ content }) => content)
}

/** Returns a GPX document with these tracks. */
const gpx = (inner: string): string => `<gpx version="1.1">${inner}</gpx>`
const second = (at: number): string => `2024-05-01T08:00:${String(at).padStart(2, '0')}Z`
const trkpt = (inner: string, place = 'lat="46.1" lon="6.1"'): string => `<trkpt ${place}>${inner}</trkpt>`
const extension = (inner: string): string =>
  `<extensions><gpxtpx:TrackPointExtension>${inner}</gpxtpx:TrackPointExtension></extensions>`

t.test('GPX: heart rates are kept with invalid positions, and counted with invalid times', async t => {
  const points = [
    trkpt(`<time>${second(0)}</time>${extension('<gpxtpx:hr>101</gpxtpx:hr>')}`),
    trkpt(`<time>${second(1)}</time>${extension('<gpxtpx:hr>102</gpxtpx:hr>')}`, 'lat="" lon="6"'),
    trkpt(extension('<gpxtpx:hr>103</gpxtpx:hr>')),
    trkpt(`<time>${second(3)}</time>${extension('<gpxtpx:hr>0</gpxtpx:hr>')}`)
  ]
  const found = await collected(gpx(`<trk><trkseg>${points.join('')}</trkseg></trk>`))
  t.same(valuesBy(found, 'frequency/bpm'), [101, 102])
  t.same(found.leftOut, {
    'at coordinates beyond the earth': 1,
    'without a time': 2,
    'zero, which means that nothing was measured': 1
  })
  t.ok(addsUp(found))
})

t.test('GPX: power, cadence, temperature and accuracy are kept, other elements counted', async t => {
  const inner = `<ele>400</ele><time>${second(0)}</time><sat>7</sat><hdop>1.2</hdop>${extension(
    '<ns3:atemp>21.5</ns3:atemp><ns3:cad>88</ns3:cad><power>215</power><course>90</course><hAcc>4</hAcc><speed>3</speed>'
  )}`
  const found = await collected(gpx(`<trk><trkseg>${trkpt(inner)}</trkseg></trk>`))
  t.same(valuesBy(found, 'temperature/c'), [21.5])
  t.same(valuesBy(found, 'frequency/rpm'), [88])
  t.same(valuesBy(found, 'power/w'), [215])
  t.same(valuesBy(found, 'position/wgs84'), [
    { latitude: 46.1, longitude: 6.1, altitude: 400, speed: 3, bearing: 90, horizontalAccuracy: 4 }
  ])
  t.equal(found.records['trkpt sat'], 1)
  t.equal(found.records['trkpt hdop'], 1)
  t.ok(addsUp(found))
})

t.test('GPX: times with any number of decimals', async t => {
  const times = ['08:00:00.1234567890123Z', '08:00:01.5Z', '10:00:02.000000000000+02:00']
  const points = times.map(time => trkpt(`<time>2024-05-01T${time}</time>`))
  const found = await collected(gpx(`<trk><trkseg>${points.join('')}</trkseg></trk>`))
  t.same(
    found.data
      .filter(({ kind }) => kind === 'trkpt')
      .map(({ time }) => Number((time - 1714550400).toFixed(6))),
    [0.123457, 1.5, 2]
  )
})

t.test('GPX: a track keeps its name, wherever it is, and its description', async t => {
  const points = trkpt(`<time>${second(0)}</time><name>12</name>`) + trkpt(`<time>${second(5)}</time>`)
  const found = await collected(
    gpx(
      `<metadata><name>File</name></metadata><trk><trkseg>${points}</trkseg><name>Loop</name><type>running</type><desc>With Ana</desc><link><text>x</text><type>text/html</type></link></trk><trk><trkseg>${trkpt(`<time>${second(9)}</time>`)}</trkseg></trk>`
    )
  )
  const activities = found.data.filter(({ type }) => type === 'activity/plain')
  t.match(activities, [
    {
      description: 'Loop',
      duration: 5,
      clientData: { 'gpx:track': { type: 'running', description: 'With Ana' } }
    },
    { description: undefined }
  ])
  t.ok(addsUp(found))
})

/** Returns a TCX track, with a prefix for its elements. */
const tcx = (points: readonly string[], prefix = ''): string => {
  const text = `<TrainingCenterDatabase><Activities><Activity Sport="Biking"><Id>${second(0)}</Id><Lap StartTime="${second(0)}"><TotalTimeSeconds>30</TotalTimeSeconds><Track>${points.join('')}</Track></Lap></Activity></Activities></TrainingCenterDatabase>`
  return prefix === '' ? text : text.replaceAll(/<(\/?)(?=\w)/g, `<$1${prefix}:`)
}
const trackpoint = (at: number, latitude = '46.1', more = ''): string =>
  `<Trackpoint><Time>${second(at)}</Time><Position><LatitudeDegrees>${latitude}</LatitudeDegrees><LongitudeDegrees>6.1</LongitudeDegrees></Position><HeartRateBpm><Value>${120 + at}</Value></HeartRateBpm>${more}</Trackpoint>`

t.test('TCX: prefixes, power, cadence and speed', async t => {
  const more =
    '<Cadence>80</Cadence><DistanceMeters>12.5</DistanceMeters><SensorState>Present</SensorState><Extensions><TPX><Speed>4</Speed><Watts>210</Watts></TPX></Extensions>'
  for (const prefix of ['', 'ns2', 'tcd-2.0']) {
    const found = await collected(tcx([trackpoint(0, '46.1', more), trackpoint(30)], prefix))
    t.same(found.formats, ['tcx'])
    t.same(valuesBy(found, 'frequency/bpm'), [120, 150])
    t.same(valuesBy(found, 'frequency/rpm'), [80])
    t.same(valuesBy(found, 'power/w'), [210])
    t.same(valuesBy(found, 'length/m'), [12.5])
    t.match(found.data[0], { content: { latitude: 46.1, speed: 4 } })
    t.match(found.data.at(-1), { type: 'activity/plain', description: 'Biking', duration: 30 })
    t.equal(found.records['Trackpoint SensorState'], 1)
    t.ok(addsUp(found))
  }
})

t.test('TCX: an error affects only the element that contains it', async t => {
  const wrong = await collected(tcx([trackpoint(0), trackpoint(1, 'no'), trackpoint(2, ''), trackpoint(3)]))
  t.same(valuesBy(wrong, 'frequency/bpm'), [120, 121, 122, 123])
  t.ok(addsUp(wrong))
  const torn = await collected(
    tcx([
      trackpoint(0),
      trackpoint(1).replace('</Position>', ''),
      trackpoint(2).replace('</Trackpoint>', ''),
      trackpoint(3),
      '</Nonsense>',
      trackpoint(4)
    ])
  )
  t.same(valuesBy(torn, 'frequency/bpm'), [120, 121, 123, 124])
  t.match(torn.data.at(-1), { type: 'activity/plain', duration: 30 })
  t.equal(torn.leftOut['torn: its end is missing'], 1)
  t.ok(addsUp(torn))
})

t.test('TCX: a course is a planned route', async t => {
  const found = await collected(
    `<TrainingCenterDatabase><Courses><Course><Name>x</Name><Track>${trackpoint(0)}${trackpoint(1)}</Track></Course></Courses></TrainingCenterDatabase>`
  )
  t.same(found.data, [])
  t.same(found.leftOut, { 'a place on a route that was planned': 2 })
})

const kml = (inner: string): string => `<kml><Document>${inner}</Document></kml>`

t.test('KML: a line without times is not a visit', async t => {
  const line = '<LineString><coordinates>6.1,46.1,0 6.2,46.2,0\n6.3,46.3,0</coordinates></LineString>'
  const found = await collected(
    kml(
      `<Placemark><name>Line</name>${line}</Placemark>
      <Placemark><name>Drive</name><TimeSpan><begin>${second(0)}</begin><end>${second(30)}</end></TimeSpan>${line}</Placemark>
      <Placemark><name>Area</name><TimeStamp><when>${second(5)}</when></TimeStamp><Polygon><outerBoundaryIs><LinearRing><coordinates>1,1 2,2 3,3 1,1</coordinates></LinearRing></outerBoundaryIs></Polygon></Placemark>
      <Placemark><name>Nowhere</name></Placemark>
      <GroundOverlay><name>Map</name></GroundOverlay>`
    )
  )
  t.match(found.data, [{ type: 'activity/plain', description: 'Drive', duration: 30 }])
  t.equal(found.data.length, 1)
  t.same(found.records, { LineString: 6, LinearRing: 4, Placemark: 2, GroundOverlay: 1 })
  t.ok(addsUp(found))
})

/** Returns a track with an array of heart rates. */
const multiTrack = (at: number): string =>
  `<gx:Track><when>${second(at)}</when><when>${second(at + 5)}</when><gx:coord>6.1 46.1 400</gx:coord><gx:coord>6.2 46.2 400</gx:coord><ExtendedData><SchemaData><gx:SimpleArrayData name="heartrate"><gx:value>8${at}</gx:value><gx:value>9${at}</gx:value></gx:SimpleArrayData><gx:SimpleArrayData name="mood"><gx:value>1</gx:value></gx:SimpleArrayData></SchemaData></ExtendedData></gx:Track>`

t.test('KML: tracks of one placemark have its name, and their arrays belong to their points', async t => {
  const found = await collected(
    kml(
      `<Placemark><gx:MultiTrack>${multiTrack(1)}${multiTrack(2)}</gx:MultiTrack><name>Walk</name></Placemark>`
    )
  )
  t.same(
    found.data.filter(({ type }) => type === 'activity/plain').map(({ description }) => description),
    ['Walk', 'Walk']
  )
  t.same(
    found.data
      .filter(({ type }) => type === 'frequency/bpm')
      .map(({ content, time }) => [content, time - 1714550400]),
    [
      [81, 1],
      [91, 6],
      [82, 2],
      [92, 7]
    ]
  )
  t.same(found.leftOut, { 'of a kind without a type here': 2 })
  t.ok(addsUp(found))
})

t.test('KMZ is KML in an archive', async t => {
  const found = await collected(
    await zipOf({
      'doc.kml': kml(
        `<Placemark><Point><coordinates>6,46</coordinates></Point><TimeStamp><when>${second(0)}</when></TimeStamp></Placemark>`
      )
    })
  )
  t.same(valuesBy(found, 'position/wgs84'), [{ latitude: 46, longitude: 6 }])
})

t.test('a truncated copy contains nothing beyond the complete file', async t => {
  const files = [
    gpx(
      `<trk><name>Loop</name><trkseg>${trkpt(`<time>${second(0)}</time>`)}${trkpt(`<time>${second(9)}</time>`)}</trkseg><trkseg>${trkpt(`<time>${second(20)}</time>`)}${trkpt(`<time>${second(29)}</time>`)}</trkseg></trk>`
    ),
    tcx([trackpoint(0), trackpoint(1), trackpoint(2)]),
    kml(
      `<Placemark><name>Walk</name><gx:Track><when>${second(0)}</when><gx:coord>6 46 4</gx:coord><when>${second(9)}</when><gx:coord>6 46 5</gx:coord></gx:Track></Placemark>`
    )
  ]
  for (const file of files) {
    const whole = new Set((await collected(file)).data.map(datum => JSON.stringify(datum)))
    for (let size = 60; size < file.length; size += 7) {
      const cut = await collected(file.slice(0, size))
      for (const datum of cut.data)
        t.ok(whole.has(JSON.stringify(datum)), `${size}: ${JSON.stringify(datum)}`)
      t.ok(addsUp(cut))
    }
  }
})
