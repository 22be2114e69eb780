/** A small file of each format with names, with any number of records and any name. */
import { deflateRawSync } from 'node:zlib'
import { databaseOf, insert } from './databases.js'

export interface SmallFile {
  readonly format: string
  readonly fileName: string
  /** Returns a file of `count` records; `name` is used for all people, devices or programs. */
  make(count: number, name: string): string | Buffer
}

const time = 1_714_543_200
const step = 7200
const iso = (at: number, seconds = 0): string => new Date((time + at * step + seconds) * 1000).toISOString()
const some = <T>(count: number, make: (at: number) => T): T[] =>
  Array.from({ length: count }, (_, at) => make(at))
const xml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
const cell = (text: string): string => `"${text.replaceAll('"', '""')}"`
const plain = (text: string): string => text.replaceAll(/[\\;,]/g, each => `\\${each}`)
const condition = (at: number, name: string): object => ({
  resourceType: 'Condition',
  id: `c${at}`,
  onsetDateTime: iso(at),
  code: { text: name }
})

function healthCard(count: number, name: string): string {
  const entry = some(count, at => ({ resource: condition(at, name) }))
  const vc = { credentialSubject: { fhirBundle: { resourceType: 'Bundle', entry } } }
  const parts = [Buffer.from('{"zip":"DEF"}'), deflateRawSync(JSON.stringify({ vc })), Buffer.alloc(64)]
  return JSON.stringify({ verifiableCredential: [parts.map(part => part.toString('base64url')).join('.')] })
}

function clinicalDocument(count: number, name: string): string {
  const entries = some(
    count,
    at => `<entry><observation classCode="OBS" moodCode="EVN">
      <code code="29463-7" codeSystem="2.16.840.1.113883.6.1" displayName="${xml(name)}"/>
      <effectiveTime value="2024050${at + 1}083000+0200"/><value xsi:type="PQ" value="72" unit="kg"/></observation></entry>`
  )
  return `<ClinicalDocument xmlns="urn:hl7-org:v3" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><title>${xml(name)}</title>
    <custodian><assignedCustodian><representedCustodianOrganization><name>${xml(name)}</name>
    </representedCustodianOrganization></assignedCustodian></custodian>
    <component><structuredBody><component><section><title>${xml(name)}</title>${entries.join('\n')}
    </section></component></structuredBody></component></ClinicalDocument>`
}

function gadgetbridge(count: number, name: string): Buffer {
  return databaseOf(database => {
    database.exec(
      'create table DEVICE (_id integer primary key, NAME text, IDENTIFIER text); create table MI_BAND_ACTIVITY_SAMPLE (TIMESTAMP integer, DEVICE_ID integer, HEART_RATE integer)'
    )
    insert(database, 'DEVICE', [{ _id: 1, NAME: name, IDENTIFIER: 'a' }])
    insert(
      database,
      'MI_BAND_ACTIVITY_SAMPLE',
      some(count, at => ({ TIMESTAMP: time + at * step, DEVICE_ID: 1, HEART_RATE: 61 }))
    )
    database.exec(`create table ${cell(name)} (a integer); insert into ${cell(name)} values (1)`)
  })
}

const sleepColumns = ['Id', 'Tz', 'From', 'To', 'Sched', 'Hours', 'Rating', 'Comment']
const night = (at: number, name: string): string => {
  const day = `0${at + 1}. 05. 2024`
  const cells = [
    `${1_714_511_025_123 + at}`,
    'Europe/Zurich',
    `${day} 1:03`,
    `${day} 7:03`,
    day,
    '5',
    '4.0',
    name
  ]
  return `${sleepColumns.join()}\n${cells.map(cell).join()}\n`
}

const json = (value: unknown): string => JSON.stringify(value)

export const smallFiles: readonly SmallFile[] = [
  {
    format: 'csv',
    fileName: 'a.csv',
    make: (count, name) =>
      `time,weight (kg),source,${cell(name)}\n${some(count, at => `${iso(at)},${70 + at},${cell(name)},x\n`).join('')}`
  },
  {
    format: 'fhir',
    fileName: 'a.ndjson',
    make: (count, name) => some(count, at => `${json(condition(at, name))}\n`).join('')
  },
  { format: 'fhir', fileName: 'a.smart-health-card', make: healthCard },
  { format: 'cda', fileName: 'a.xml', make: clinicalDocument },
  {
    format: 'open-mhealth',
    fileName: 'omh.json',
    make: (count, name) =>
      json(
        some(count, at => ({
          header: {
            id: `o${at}`,
            schema_id: { name: 'body-weight', namespace: 'omh', version: '2.0' },
            acquisition_provenance: { source_name: name }
          },
          body: {
            body_weight: { value: 70, unit: 'kg' },
            effective_time_frame: { date_time: iso(at) },
            user_notes: name,
            [name]: 1
          }
        }))
      )
  },
  {
    format: 'health-auto-export',
    fileName: 'hae.json',
    make: (count, name) => {
      const data = some(count, at => ({
        date: `2024-05-0${at + 1} 08:00:00 +0200`,
        qty: 70,
        source: name,
        [name]: 1
      }))
      return json({
        data: {
          metrics: [
            { name: 'weight_body_mass', units: 'kg', data },
            { name, units: name, data }
          ]
        }
      })
    }
  },
  {
    format: 'nightscout',
    fileName: 'entries.json',
    make: (count, name) =>
      json(
        some(count, at => ({
          _id: `n${at}`,
          device: name,
          date: (time + at * step) * 1000,
          dateString: iso(at),
          type: 'sgv',
          sgv: 120 + at,
          direction: name
        }))
      )
  },
  {
    format: 'sleep-as-android',
    fileName: 'sleep-export.csv',
    make: (count, name) => some(count, at => night(at, name)).join('')
  },
  {
    format: 'ical',
    fileName: 'a.ics',
    make: (count, name) =>
      [
        'BEGIN:VCALENDAR',
        'VERSION:2.0',
        `X-WR-CALNAME:${plain(name)}`,
        ...some(count, at => [
          'BEGIN:VEVENT',
          `UID:u${at}`,
          `DTSTART:${iso(at).replaceAll(/[-:]|\.000/g, '')}`,
          `SUMMARY:${plain(name)}`,
          `LOCATION:${plain(name)}`,
          'END:VEVENT'
        ]).flat(),
        'END:VCALENDAR',
        ''
      ].join('\r\n')
  },
  {
    format: 'oura',
    fileName: 'oura.json',
    make: (count, name) =>
      json({
        sleep: some(count, at => ({
          bedtime_start: iso(at),
          bedtime_end: iso(at, 3600),
          type: name,
          [name]: 1,
          heart_rate: { interval: 300, items: [61, 62], timestamp: iso(at) }
        }))
      })
  },
  {
    format: 'fitbit',
    fileName: 'sleep-1.json',
    make: (count, name) =>
      json(
        some(count, at => ({
          logId: at,
          dateOfSleep: '2024-05-02',
          startTime: iso(at).slice(0, -1),
          endTime: iso(at, 3600).slice(0, -1),
          [name]: 1,
          levels: { data: [{ dateTime: iso(at).slice(0, -1), level: 'deep', seconds: 60 }], summary: {} }
        }))
      )
  },
  {
    format: 'garmin-connect',
    fileName: 'garmin.json',
    make: (count, name) =>
      json(
        some(count, at => ({
          sleepStartTimestampGMT: iso(at),
          sleepEndTimestampGMT: iso(at, 3600),
          deepSleepSeconds: 60,
          [name]: 1
        }))
      )
  },
  { format: 'gadgetbridge', fileName: 'Gadgetbridge', make: gadgetbridge },
  {
    format: 'geojson',
    fileName: 'a.geojson',
    make: (count, name) =>
      json({
        type: 'FeatureCollection',
        features: some(count, at => ({
          type: 'Feature',
          properties: { time: iso(at), name },
          geometry: { type: 'Point', coordinates: [7 + at, 46] }
        }))
      })
  },
  {
    format: 'kml',
    fileName: 'a.kml',
    make: (count, name) =>
      `<kml xmlns="http://www.opengis.net/kml/2.2"><Document>${some(
        count,
        at =>
          `<Placemark><name>${xml(name)}</name><TimeStamp><when>${iso(at)}</when></TimeStamp><Point><coordinates>${7 + at},46</coordinates></Point></Placemark>`
      ).join('\n')}</Document></kml>`
  }
]
