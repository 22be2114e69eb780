/** The thread that reads files: its output on the first reading, and on later ones of the same bytes. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import t from 'tap'
import type { ReadAssignment, CountedFile, ReaderMessage } from '../../imports/protocol.js'
import { ReaderThreads } from '../../server/imports/reader-threads.js'
import { inRotation } from '../support/rotation.js'

interface Reading {
  readonly messages: ReaderMessage[]
  readonly digest: string
  readonly counted: CountedFile | undefined
}

/** Reads a file to its end, with the results of earlier readings. */
async function reading(
  assignment: ReadAssignment,
  recalled: ReadonlyMap<string, CountedFile>,
  isSettled = false,
  threads = new ReaderThreads()
): Promise<Reading> {
  const messages: ReaderMessage[] = []
  let digest = ''
  let counted: CountedFile | undefined
  await new Promise<void>((resolve, reject) => {
    const reader = threads.start(
      assignment,
      message => {
        if (message.is === 'digest') {
          digest = message.digest
          reader.send({ is: 'recalled', counted: recalled.get(digest), isSettled })
        } else if (message.is === 'batch') reader.send({ is: 'taken' })
        if (message.is === 'counted') counted = message.counted
        if (message.is !== 'progress') messages.push(message)
      },
      error => (error ? reject(error) : resolve())
    )
  })
  return { messages, digest, counted }
}

const point = (at: number): string =>
  `<trkpt lat="46.1" lon="6.1"><ele>400</ele><time>${new Date((1.7e9 + at) * 1000).toISOString()}</time></trkpt>`
const files: Readonly<Record<string, string>> = {
  'weights.csv': `time,weight (kg),pulse\n${Array.from(
    { length: 3000 },
    (_, at) => `${1.7e9 + ((at * 7) % 3000)},${at < 20 ? 70 + at : ''},${60 + (at % 5)}`
  ).join('\n')}\n`,
  'track.gpx': `<gpx><trk><trkseg>${Array.from({ length: 50 }, (_, at) => point(at)).join('')}</trkseg></trk></gpx>`
}

/** Many records in an object, a table and a list: possibly more than fit in memory. */
const many: Readonly<Record<string, string>> = {
  'sleep.json': JSON.stringify({
    sleep: [
      {
        bedtime_start: '1990-05-01T23:00:00Z',
        bedtime_end: '1990-05-02T07:00:00Z',
        heart_rate: { interval: 3600, timestamp: '1990-05-01T23:00:00Z', items: Array(5000).fill(60) },
        rmssd_5min: Array(40_000).fill(40)
      }
    ]
  }),
  'weights.csv': `time,weight (kg)\n${Array.from({ length: 5000 }, (_, at) => `${1.6e9 + at * 3600},70\n`).join('')}`,
  'days.ndjson': Array.from(
    { length: 3000 },
    (_, at) => `{"resourceType":"Condition","id":"${at}","onsetDateTime":"2024-01-01"}\n`
  ).join('')
}

const test = inRotation(t, 2)
test('a thread pauses within an object while its output is processed', async t => {
  const folder = mkdtempSync(join(tmpdir(), 'coffer-reader-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  for (const [fileName, text] of Object.entries(many)) {
    const file = join(folder, fileName)
    writeFileSync(file, text)
    let underWay = 0
    let most = 0
    let records = 0
    await new Promise<void>((resolve, reject) => {
      const reader = new ReaderThreads().start(
        assignmentOf(file, fileName),
        message => {
          if (message.is === 'digest') reader.send({ is: 'recalled', counted: undefined, isSettled: false })
          if (message.is !== 'batch') return
          most = Math.max(most, ++underWay)
          const { events, points } = message.batch
          records += points.reduce(
            (sum, { cells, columns }) => sum + cells.length / (columns.length + 1),
            events.length
          )
          setImmediate(() => {
            underWay--
            reader.send({ is: 'taken' })
          })
        },
        error => (error ? reject(error) : resolve())
      )
    })
    t.ok(most <= 8, `${most} batches under way of ${fileName}`)
    t.equal(records, fileName === 'sleep.json' ? 45_001 : fileName === 'days.ndjson' ? 3000 : 5000)
  }
})

/** Starts a thread, whose number tells how many have been started before. */
async function countThreads(): Promise<number> {
  const worker = new Worker('', { eval: true })
  const { threadId } = worker
  await worker.terminate()
  return threadId
}

test('a thread that has read a file reads the next one', async t => {
  const folder = mkdtempSync(join(tmpdir(), 'coffer-reader-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  for (const [name, text] of Object.entries({ ...files, 'bad.zip': 'PK\u0003\u0004' }))
    writeFileSync(join(folder, name), text)
  const threads = new ReaderThreads(120_000, 120_000)
  const read = (name: string): Promise<Reading> =>
    reading(assignmentOf(join(folder, name), name), new Map(), false, threads)
  const before = await countThreads()
  const [table, track] = [await read('weights.csv'), await read('track.gpx')]
  t.equal((await countThreads()) - before, 2, 'one was started')
  t.same(await read('weights.csv'), table, 'nothing of another file remains')
  t.same(await read('track.gpx'), track)
  const both = await Promise.all([read('weights.csv'), read('track.gpx')])
  t.same(both, [table, track], 'two at a time')
  t.equal((await countThreads()) - before, 4, 'another one was started')
  t.match((await read('bad.zip')).messages.at(-1), { is: 'unreadable' })
  t.same(await read('weights.csv'), table)
  await threads.close()
  t.same(await read('track.gpx'), track)
  t.equal((await countThreads()) - before, 6, 'one more, as those that waited had ended')
  await threads.close()
})

/** A calendar with an appointment at nine o’clock; it names these zones as its own. */
function calendar(zones: readonly string[]): string {
  return [
    'BEGIN:VCALENDAR',
    ...zones.map(zone => `X-WR-TIMEZONE:${zone}`),
    'BEGIN:VEVENT\r\nUID:1\r\nDTSTART:20240110T090000\r\nSUMMARY:Dentist\r\nEND:VEVENT',
    'END:VCALENDAR\r\n'
  ].join('\r\n')
}

test('a file changes nothing about files with another key', async t => {
  const folder = mkdtempSync(join(tmpdir(), 'coffer-reader-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, 'own.ics'), calendar(['America/New_York']))
  // More names than are looked up for one file.
  writeFileSync(
    join(folder, 'other.ics'),
    calendar(Array.from({ length: 5001 }, (_, at) => `Nowhere/At${at}`))
  )
  const threads = new ReaderThreads(120_000, 120_000)
  const read = async (name: string, key: string): Promise<number[]> => {
    const assignment = { ...assignmentOf(join(folder, name), name), key }
    const { messages } = await reading(assignment, new Map(), false, threads)
    return messages.flatMap(each => (each.is === 'batch' ? each.batch.events.map(({ time }) => time) : []))
  }
  await read('other.ics', '01')
  t.same(await read('own.ics', '02'), [Date.UTC(2024, 0, 10, 14) / 1000])
  await threads.close()
})

test('of the threads that wait, the last two are kept', async t => {
  const folder = mkdtempSync(join(tmpdir(), 'coffer-reader-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  const [name] = Object.keys(files)
  writeFileSync(join(folder, name!), files[name!]!)
  const threads = new ReaderThreads(120_000, 120_000)
  const read = async (key: string): Promise<void> => {
    await reading({ ...assignmentOf(join(folder, name!), name!), key }, new Map(), false, threads)
  }
  const before = await countThreads()
  for (const key of ['01', '02', '03', '02', '03', '01']) await read(key)
  t.equal((await countThreads()) - before, 5, 'four were started: the first one had ended')
  await threads.close()
})

test('a paused thread can be terminated', async t => {
  const folder = mkdtempSync(join(tmpdir(), 'coffer-reader-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'sleep.json')
  writeFileSync(file, many['sleep.json']!)
  let batches = 0
  await new Promise<void>(resolve => {
    const reader = new ReaderThreads().start(
      assignmentOf(file, 'sleep.json'),
      message => {
        if (message.is === 'digest') reader.send({ is: 'recalled', counted: undefined, isSettled: false })
        if (message.is === 'batch' && ++batches === 8) void reader.stop()
      },
      () => resolve()
    )
  })
  t.equal(batches, 8)
})

function assignmentOf(file: string, fileName: string): ReadAssignment {
  return {
    file,
    fileName,
    spool: `${file}.part`,
    attachmentSpool: `${file}.file`,
    options: {},
    parentStreamId: '',
    key: '00',
    choices: {},
    previousForms: {},
    types: {},
    version: '1'
  }
}

t.test('the same bytes are counted once, and yield the same records', async t => {
  const folder = mkdtempSync(join(tmpdir(), 'coffer-reader-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  for (const [fileName, text] of Object.entries(files)) {
    const file = join(folder, fileName)
    writeFileSync(file, text)
    const assignment = assignmentOf(file, fileName)
    const first = await reading(assignment, new Map())
    t.ok(first.counted, fileName)
    // Stored as JSON.
    const kept = JSON.parse(JSON.stringify(first.counted)) as CountedFile
    const again = await reading(assignment, new Map([[first.digest, kept]]))
    t.equal(again.digest, first.digest)
    t.equal(again.counted, undefined, 'there is nothing new to remember')
    const rest = ({ messages }: Reading): unknown =>
      messages.map(message => (message.is === 'counted' ? { ...message, counted: undefined } : message))
    t.same(rest(again), rest(first))
    const settled = await reading(assignment, new Map([[first.digest, kept]]), true)
    t.same(
      rest(settled),
      [rest(first)]
        .flat()
        .filter(
          message => (message as ReaderMessage).is === 'counted' || (message as ReaderMessage).is === 'digest'
        )
        .concat({ is: 'done', duplicates: {}, leftOutCount: 0 })
    )
    t.not((await reading({ ...assignment, options: { zone: 'Asia/Tokyo' } }, new Map())).digest, first.digest)
    t.not((await reading({ ...assignment, version: '2' }, new Map())).digest, first.digest)
    writeFileSync(file, `${text} `)
    t.not((await reading(assignment, new Map())).digest, first.digest)
  }
})
