/** Files that are designed to be slow: each is read in slices in linear time, without blocking others. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import type { ReaderMessage } from '../../imports/protocol.js'
import { ObjectScanner } from '../../imports/text/object-scanner.js'
import { RowScanner } from '../../imports/text/row-scanner.js'
import { XmlScanner } from '../../imports/text/xml.js'
import { ReaderThreads } from '../../server/imports/reader-threads.js'
import { coffer } from '../support/coffer.js'
import { broughtIn, sent, total, written, zipOf } from '../support/importing.js'
import { collected } from './collecting.js'

t.setTimeout(900_000)

/** The long form reads every slow text and table; otherwise one in three in rotation. */
const turns = process.env['COFFER_TEST_LONG'] === '1' ? 1 : 3
const seed = Number(process.env['COFFER_TEST_SEED'] ?? Date.now() % 1e6)
t.comment(`COFFER_TEST_SEED=${seed}`)
const isTurn = (_each: unknown, at: number): boolean => (at + seed) % turns === 0

const pieceSize = 64 * 1024
/** Number of chunks per text: 16 MB. */
const pieces = 256
/** Maximum CPU seconds per text: many times the usual. */
const mostSeconds = 4
/** Maximum length of a scanner's output. */
const longest = 4 * 1024 * 1024

interface Scanner {
  write(piece: string): void
  finish(): void
}

function xml(): [Scanner, () => number] {
  let most = 0
  const see = (text: string): void => void (most = Math.max(most, text.length))
  let text = 0
  const scanner = new XmlScanner({
    open: (name, attributes) => {
      see(name + attributes)
      text = 0
    },
    close: () => (text = 0),
    text: part => {
      text += part.length
      most = Math.max(most, text)
    }
  })
  return [scanner, () => most]
}

function json(): [Scanner, () => number] {
  let most = 0
  const scanner = new ObjectScanner(
    path => path[0] === 'entry',
    (object, path) => (most = Math.max(most, object.length, ...path.map(({ length }) => length))),
    path => path[0] === 'frames'
  )
  return [scanner, () => most]
}

function rows(): [Scanner, () => number] {
  let most = 0
  const scanner = new RowScanner(',', cells => {
    for (const cell of cells) most = Math.max(most, cell.length)
  })
  return [scanner, () => most]
}

/** The start of a text, and its repeated part. */
const texts: readonly (readonly [string, () => [Scanner, () => number], string, string])[] = [
  ['a tag that does not end', xml, '<a>', '<Record type="x'],
  ['tags that do not end', xml, '<a>', '<a "'],
  ['a tag of quotes', xml, '<a ', '""'],
  ['tags without quotes', xml, '', '<a>'],
  ['a text that does not end', xml, '<a>', 'text &amp; '],
  ['a text in pieces', xml, '<a>', 'text<!-- -->'],
  ['a text without characters', xml, '<a><![CDATA[', 'x'],
  ['declarations', xml, '', '<!x>'],
  ['a declaration that does not end', xml, '<!', 'x'],
  ['a comment that does not end', xml, '<!--', 'x'],
  ['a string that does not end', json, '{"x":"', 'x'],
  ['a string of escapes', json, '{"x":"', '\\"'],
  ['a string within an object', json, '{"entry":[{"x":"', 'x'],
  ['an object that does not end', json, '{"entry":[', '{"x":"y",'],
  ['an object around lists', json, '{"frames":[{', '"x":[{"y":1}],'],
  ['objects around lists', json, '{"frames":[', '{"x":[1]},'],
  ['objects of other lists', json, '{"others":[', '{},'],
  ['strings in a row', json, '{"entry":[', '"x",'],
  ['a row that does not end', rows, 'a,b\n', ','],
  ['a cell that does not end', rows, 'a,b\n"', 'x'],
  ['a cell without an end', rows, 'a,b\n', 'x'],
  ['a row of quotes', rows, 'a,b\n', '"a",'],
  ['rows without a delimiter', rows, 'a,b\n', '"a"\n'],
  ['quotes by themselves', rows, 'a,b\n', '"\n'],
  ['rows of nothing', rows, 'a,b\n', '\n']
]

for (const [what, make, start, part] of texts.filter(isTurn))
  t.test(`${what} is read in slices in linear time`, async t => {
    const [scanner, most] = make()
    const piece = part.repeat(Math.ceil(pieceSize / part.length))
    const before = process.cpuUsage()
    const memory = process.memoryUsage().rss
    scanner.write(start)
    for (let count = 0; count < pieces; count++) {
      // A new string for each chunk, as when reading a file.
      scanner.write(Buffer.from(piece, 'latin1').toString('latin1'))
      if (process.cpuUsage(before).user > mostSeconds * 2e6) break
    }
    scanner.finish()
    const seconds = process.cpuUsage(before).user / 1e6
    t.ok(seconds < mostSeconds, `${seconds} s`)
    t.ok(most() <= longest, `${most()} characters at once`)
    t.comment(`${Math.round((process.memoryUsage().rss - memory) / 2 ** 20)} MB`)
  })

/** Spaces within a cell, in the longest row that is buffered. */
const gap = ' '.repeat(100_000)
/** Tables whose headers or cells are slow for patterns that restart at each character. */
const slowTables: readonly [what: string, table: string][] = [
  ...['fat', 'muscle', 'resting', 'end', '(', 'lat '].map((part): [string, string] => [
    `a header of ${part}`,
    `time,${part.repeat(Math.floor(30_000 / part.length))}\n2024-01-01,70\n2024-01-02,71\n`
  ]),
  ['headers of the same words', `time${',fat resting'.repeat(1900)}\n2024-01-01${',1'.repeat(1900)}\n`],
  [
    'an event of thousands of values',
    [
      'id,time,unixTime,duration,streamId,stream,type,field,value,unit',
      ...Array.from({ length: 7000 }, (_, at) => `c1,,1704067200,,s,S,my-app/answer,f${at},1,`)
    ].join('\n')
  ],
  ...['1/1/2024', '2024/1/1', '2024-01-01 ', '27 Oct 2024', '1/1/2024 10:00'].map(
    (date): [string, string] => [
      `gaps after ${date}`,
      `time,weight (kg)\n2024-01-01,70\n2024-01-02,71\n"${date}${gap}x\ny",70\n`
    ]
  )
]

t.test('tables with long headers or cells are as fast as others of their size', async t => {
  for (const [what, table] of slowTables.filter(isTurn)) {
    const tables = await zipOf(
      Object.fromEntries(Array.from({ length: 10 }, (_, at) => [`${at}.csv`, table]))
    )
    const before = process.cpuUsage()
    await collected(tables)
    const seconds = process.cpuUsage(before).user / 1e6
    t.comment(`${what}: ${seconds.toFixed(2)} s`)
    // A pattern that restarts at each character needed ten seconds and more; so did a comparison of each row with all before it.
    t.ok(seconds < 3, `${what}: ${seconds} s`)
  }
})

t.test('endless nesting is refused', async t => {
  const start = '{"resourceType":"Bundle","x":'
  await t.rejects(collected(`${start}${'['.repeat(1e6)}`), /nested deeper/)
  await t.rejects(collected(`${start}${'{"a":'.repeat(1e6)}`), /nested deeper/)
  await t.rejects(collected(`<TrainingCenterDatabase>${'<a>'.repeat(1e6)}`), /nested deeper/)
})

/** Returns a resource as a line. */
const condition = (fields: object): string =>
  JSON.stringify({ resourceType: 'Condition', onsetDateTime: '2024-01-01', ...fields })

const deep = (levels: number): unknown => JSON.parse('['.repeat(levels) + ']'.repeat(levels))

t.test('records that are too large or too deep are skipped, and the others imported', async t => {
  const { alice } = await coffer(t)
  const lines = [
    condition({ id: 'a', note: 'word '.repeat(400_000) }),
    condition({
      id: 'b',
      note: Object.fromEntries(Array.from({ length: 100_000 }, (_, at) => [`k${at}`, at]))
    }),
    condition({ id: 'c' }).replace('}', `,"x":${'['.repeat(90_000)}${']'.repeat(90_000)}}`),
    condition({ id: 'd', x: deep(2000) }),
    condition({ id: 'e', x: deep(10) })
  ]
  const found = await broughtIn(alice, 'a.ndjson', lines.join('\n'))
  t.equal(found.state, 'written', found.message)
  t.same(found.tally, {
    broughtIn: { 'clinical/fhir': 1 },
    known: {},
    leftOut: { 'larger than a record can be': 4 }
  })
  const { events } = await alice.do('events.get', { types: ['clinical/fhir'], fromTime: 0, toTime: 4e9 })
  t.equal(events[0].clientData['fhir:resource'].id, 'e')
})

t.test('names of prototype members have no special meaning', async t => {
  const { alice } = await coffer(t)
  const names = ['toString', '__proto__', 'constructor', 'hasOwnProperty', 'valueOf']
  const lines = [
    condition({ id: 'a' }),
    ...names.map(resourceType => condition({ resourceType })),
    ...names.map(code =>
      JSON.stringify({
        resourceType: 'Observation',
        effectiveDateTime: '2024-01-01',
        code: { coding: [{ system: 'http://loinc.org', code }] },
        valueQuantity: { value: 5, unit: 'kg' }
      })
    )
  ]
  const found = await broughtIn(alice, 'a.ndjson', lines.join('\n'))
  t.equal(found.state, 'written', found.message)
  t.equal(found.tally.broughtIn['clinical/fhir'], 6)
  t.equal(total(found.tally.leftOut), 5)
  const records = names.map(
    name =>
      `<Record type="HKQuantityTypeIdentifier${name}" unit="count" startDate="2024-08-01 10:00:00 +0200" value="6"/>`
  )
  const apple = await broughtIn(alice, 'export.xml', `<HealthData>${records.join('\n')}</HealthData>`)
  t.equal(apple.state, 'written', apple.message)
  t.same(apple.tally.broughtIn, { 'count/generic': 5 })
})

t.test('long names are shortened in the report', async t => {
  const { alice } = await coffer(t)
  const kinds = Array.from({ length: 20 }, (_, at) =>
    condition({ resourceType: `${at}${'K'.repeat(500_000)}` })
  )
  const look = await sent(alice, 'a.ndjson', [condition({}), ...kinds].join('\n'))
  t.equal(look.state, 'looked', look.message)
  t.equal(total(look.look.records), 21)
  t.ok(JSON.stringify(look).length < 20_000)
  const sources = Array.from({ length: 2100 }, (_, at) => `${1.6e9 + at},70,${at} ${'s'.repeat(1000)}`)
  const many = await sent(alice, 'a.csv', `time,weight (kg),source\n${sources.join('\n')}\n`)
  t.equal(many.tally.broughtIn['mass/kg'], 2000, 'each source makes a stream')
  t.equal(total(many.tally.leftOut), 100)
  t.ok(JSON.stringify(many).length < 600_000)
})

t.test('numbers that become infinite after conversion are skipped', async t => {
  const { alice } = await coffer(t)
  const points = Array.from({ length: 200 }, (_, at) => `${1.7e9 + at},${at < 150 ? 1 : '1e300'}`)
  const { id, look } = await sent(alice, 'a.csv', `time,foo\n${points.join('\n')}\n`)
  const values = [{ column: 1, type: 'mass/kg', stream: 'Mass', factor: 1e300 }]
  const found = await written(alice, id, { mappings: { [look.tables[0].header]: { time: 0, values } } })
  t.same(found.tally, {
    broughtIn: { 'mass/kg': 150 },
    known: {},
    leftOut: { 'of a number that is too large': 50 }
  })
  const { events } = await alice.do('events.get', { types: ['series:mass/kg'], fromTime: 0, toTime: 4e9 })
  const { points: rows } = await alice.do('hfs.get', { id: events[0].id, toDeltaTime: 4e9 })
  t.ok(rows.every(([, value]: number[]) => value === 1e300))
})

t.test('an unresponsive thread is terminated, and the user gets the reason', async t => {
  const folder = mkdtempSync(join(tmpdir(), 'coffer-import-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'file')
  writeFileSync(file, 'time,pulse\n1,2\n')
  const assignment = {
    file,
    fileName: 'a.csv',
    options: {},
    parentStreamId: '',
    key: '00',
    choices: {},
    previousForms: {},
    types: {},
    spool: `${file}.part`,
    attachmentSpool: `${file}.file`,
    version: '1'
  }
  const messages: ReaderMessage[] = []
  const error = await new Promise<Error | undefined>(resolve =>
    new ReaderThreads(1).start(assignment, message => messages.push(message), resolve)
  )
  t.equal(error, undefined)
  t.match(messages.at(-1), { is: 'unreadable', message: /longer to read/ })
})
