/** Broken but honest files: intact parts are imported, and the report says what was skipped, and why. */
import t from 'tap'
import { total, zipOf } from '../support/importing.js'
import { collected, type Collected } from './collecting.js'

const weights = 'time,weight (kg)\n2024-01-01 08:00,70\n2024-01-02 08:00,71\n'
const track = (inner: string): string => `<gpx><trk><trkseg>${inner}</trkseg></trk></gpx>`
const point = (second: number, lat = '46.1', lon = '6.1'): string =>
  `<trkpt lat="${lat}" lon="${lon}"><time>2024-05-01T08:00:${String(second).padStart(2, '0')}Z</time></trkpt>`

/** Returns whether each record has been counted exactly once. */
function addsUp({ data, leftOut, records }: Collected): boolean {
  return total(records) === data.length + total(leftOut)
}

/** Returns the offsets of a file's local header and central directory entry in a ZIP. */
function placesOf(zip: Buffer, name: string): { local: number; central: number } {
  const local = zip.indexOf(name) - 30
  const central = zip.indexOf(name, local + 31) - 46
  return { local, central }
}

t.test('an encrypted file in an archive is reported, and the others are read', async t => {
  const zip = await zipOf({ 'secret.csv': weights, 'open.csv': weights })
  const { central, local } = placesOf(zip, 'secret.csv')
  zip.writeUInt16LE(zip.readUInt16LE(local + 6) | 1, local + 6)
  zip.writeUInt16LE(zip.readUInt16LE(central + 8) | 1, central + 8)
  const found = await collected(zip)
  t.equal(found.data.length, 2)
  t.same(found.leftOut, { encrypted: 1 })
  t.match(found.warnings, [/"secret\.csv" is encrypted/])
  t.ok(addsUp(found))
})

t.test('a file in an archive with a wrong checksum is read, with a warning', async t => {
  const zip = await zipOf({ 'weights.csv': weights, 'other.csv': weights })
  const { central } = placesOf(zip, 'weights.csv')
  zip.writeUInt32LE((zip.readUInt32LE(central + 16) ^ 1) >>> 0, central + 16)
  const found = await collected(zip)
  t.equal(found.data.length, 4)
  if (process.versions.node >= '20.15')
    t.match(found.warnings, [/"weights\.csv" does not match its checksum/])
})

t.test('a damaged file in an archive is read up to the damage', async t => {
  const rows = Array.from({ length: 20_000 }, (_, at) => `${1.7e9 + at * 60},${60 + ((at * 7919) % 40)}`)
  const zip = await zipOf({ 'pulse.csv': `time,pulse\n${rows.join('\n')}\n`, 'weights.csv': weights })
  const { local } = placesOf(zip, 'pulse.csv')
  zip.fill(0xff, local + 30_000, local + 30_100)
  const found = await collected(zip)
  const pulses = found.data.filter(({ type }) => type === 'frequency/bpm').length
  t.ok(pulses > 1000 && pulses < 20_000, `${pulses} before the damage`)
  t.equal(found.data.length - pulses, 2, 'the next file is read')
  t.match(found.warnings[0], /"pulse\.csv" is damaged after \d+ bytes/)
  t.ok(addsUp(found))
})

t.test('a truncated archive is reported', async t => {
  const zip = await zipOf({ 'a.csv': weights, 'b.csv': weights })
  for (const size of [10, 100, zip.length - 1])
    await t.rejects(collected(zip.subarray(0, size)), { message: /damaged or cut off/ }, `${size} bytes`)
})

t.test('a web page or another document is identified, whatever its name', async t => {
  for (const [content, words] of [
    ['<!DOCTYPE html>\n<html><body>Sign in, a, b\nc, d, e</body></html>', /web page/],
    ['\uFEFF  <html lang="en">\n<p>1,2\n3,4', /web page/],
    ['%PDF-1.4\n1,2\n3,4\n', /PDF/],
    [Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0]), /gzip/],
    [Buffer.alloc(5000), /no format that is known/],
    ['', /empty/]
  ] as const)
    await t.rejects(collected(content, 'weights.csv'), { message: words })
  const within = await collected(await zipOf({ 'page.csv': '<html>1,2\n3,4</html>', 'w.csv': weights }))
  t.equal(within.data.length, 2)
  t.same(within.leftOut, { 'of no format that is known': 1 })
})

t.test('tables in other encodings are decoded correctly', async t => {
  const text = 'Datum;Größe (cm);Notizen\n13.04.2024 08:00;172,5;müde – ärgerlich\n14.04.2024 08:00;172;ok\n'
  const encodings: readonly (readonly [string, Buffer])[] = [
    ['UTF-8', Buffer.from(text)],
    ['UTF-8 with a mark', Buffer.from(`\uFEFF${text}`)],
    ['UTF-16', Buffer.from(`\uFEFF${text}`, 'utf16le')],
    ['UTF-16, big', Buffer.from(`\uFEFF${text}`, 'utf16le').swap16()],
    ['Windows-1252', Buffer.from(text.replaceAll('–', '\u0096'), 'latin1')]
  ]
  for (const [name, bytes] of encodings) {
    const found = await collected(bytes, 'body.csv')
    t.same(
      found.data.map(({ content }) => content),
      [172.5, 'müde – ärgerlich', 172, 'ok'],
      name
    )
  }
})

t.test('broken rows, short ones and those without a time are counted separately', async t => {
  const found = await collected(
    [
      'time,weight (kg),notes',
      '2024-01-01 08:00,70,fine',
      'yesterday,71,',
      '2024-01-02 08:00',
      '2024-13-45 08:00,72,',
      '2024-01-03 08:00,seventy,',
      '2024-01-04 08:00,\u000b73\u0000,"two',
      'lines"',
      '2024-01-05 08:00,74,"never closed',
      '2024-01-06 08:00,75,'
    ].join('\n')
  )
  t.ok(addsUp(found))
  t.same(found.leftOut, {
    'of a time that cannot be read': 2,
    'without a number': 1,
    'of a value that is no number': 2,
    'torn by a quote that does not close': 1
  })
  t.ok(found.data.some(({ content }) => content === 70))
})

t.test('XML with a broken declaration, control characters and undeclared entities', async t => {
  const found = await collected(
    `<?xml version="1.0"?><!DOCTYPE HealthData [<!ELEMENT Broken (((\n<!ENTITY a "&b;">\n]>
<HealthData>
 <Record type="HKQuantityTypeIdentifierHeartRate" sourceName="A\u000b&unknown;&#0;&#x41;" unit="count/min" startDate="2024-08-01 10:00:00 +0200" value="60"/>
 <Record type="HKQuantityTypeIdentifierHeartRate" unit="count/min" startDate="nonsense" value="61"/>
 <Record type="HKQuantityTypeIdentifierHeartRate" unit="count/min" startDate="2024-08-01 10:00:02 +0200" value="\u0001"/>
 <Record unit="count/min"/>
 <Record type="HKQuantityTypeIdentifierHeartRate" unit="count/min" startDate="2024-08-01 10:00:03 +0200" value="62"`
  )
  t.equal(found.data.length, 2)
  t.match(found.data[0], { content: 60, source: 'A\u000b&unknown;A' })
  t.ok(Number.isNaN(found.data[1]!.time), 'which the counter leaves out')
  t.equal(found.records['HeartRate'], 3)
  t.match(found.warnings, [/cut off/])
  t.ok(addsUp(found))
})

t.test('impossible positions are skipped in every format with positions', async t => {
  const gpx = await collected(
    track([point(1), point(2, '91'), point(3, '46', '-181'), point(4, 'NaN'), point(5, '', '6')].join(''))
  )
  t.same(gpx.leftOut, { 'at coordinates beyond the earth': 4 })
  t.equal(gpx.records['trkpt'], 5)
  const kml = await collected(
    '<kml><Document><Placemark><gx:Track><when>2024-05-01T08:00:00Z</when><when>2024-05-01T08:00:01Z</when><gx:coord>6.1 46.1 0</gx:coord><gx:coord>600 46.1 0</gx:coord></gx:Track></Placemark></Document></kml>'
  )
  t.equal(kml.leftOut['at coordinates beyond the earth'], 1)
  const google = await collected(
    JSON.stringify({
      locations: [
        { latitudeE7: 461000000, longitudeE7: 61000000, timestamp: '2024-05-01T08:00:00Z' },
        { latitudeE7: 950000000, longitudeE7: 61000000, timestamp: '2024-05-01T08:00:01Z' }
      ]
    })
  )
  t.equal(google.data.length, 1)
  t.equal(total(google.leftOut), 1)
  const csv = await collected(
    'time,latitude,longitude\n2024-05-01 08:00,46.1,6.1\n2024-05-01 08:01,146.1,6.1\n2024-05-01 08:02,46.1,\n'
  )
  t.equal(csv.data.length, 1)
  t.same(csv.leftOut, { 'at coordinates beyond the earth': 1, 'without a number': 1 })
})

t.test('truncated or broken JSON is read up to the damage', async t => {
  const locations = Array.from({ length: 50 }, (_, at) => ({
    latitudeE7: 461000000 + at,
    longitudeE7: 61000000,
    timestamp: new Date(1.7e12 + at * 1000).toISOString()
  }))
  const text = JSON.stringify({ locations })
  const cut = await collected(text.slice(0, text.length / 2))
  t.ok(cut.data.length >= 24 && cut.data.length <= 25)
  t.match(cut.warnings, [/cut off/])
  const broken = await collected(text.replace('"latitudeE7":461000007', '"latitudeE7":46100,,0007'))
  t.equal(broken.data.length, 49)
  t.same(broken.leftOut, { 'no valid JSON': 1 })
})

/** Returns a recording as a French phone writes it. */
const ecg = (lines: readonly string[]): string =>
  [
    'Nom,Ana',
    'Date de naissance,"1 janv. 1980"',
    'Date d’enregistrement,2024-08-01 10:00:00 +0200',
    'Classification,Rythme sinusal',
    'Fréquence d’échantillonnage,"512,5 hertz"',
    '',
    'Dérivation,Dérivation I',
    'Unité,µV',
    '',
    ...lines
  ].join('\n')

t.test('electrocardiograms in other languages, with decimal commas, truncated', async t => {
  const found = await collected(ecg(['"1,5"', '-3.25', '1e-1', '7,']), 'ecg_2024-08-01.csv')
  t.same(found.formats, ['apple-health'])
  t.same(
    found.data.map(({ content }) => content),
    [1.5e-6, -3.25e-6, 1e-7]
  )
  t.ok(Math.abs(found.data[2]!.time - found.data[0]!.time - 2 / 512.5) < 1e-6)
  const within = await collected(
    await zipOf({
      'apple_health_export/electrocardiograms/ecg_1.csv': 'Name,Ana\nno rate,here\n',
      'apple_health_export/electrocardiograms/ecg_2.csv': ecg(['1', '2'])
    })
  )
  t.equal(within.data.length, 2)
  t.same(within.leftOut, { damaged: 1 })
  t.match(within.warnings, [/ecg_1\.csv.*no sampling rate/])
})
