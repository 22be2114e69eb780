/** SQLite databases from anyone: every value matches SQLite's own, and no file can block the service. */
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import Sqlite from 'better-sqlite3'
import t from 'tap'
import { readImportFile } from '../../imports/read-import-file.js'
import { Unreadable } from '../../imports/record.js'
import { Database } from '../../imports/sqlite/database.js'
import type { Cell } from '../../imports/sqlite/payload.js'
import { parseColumns } from '../../imports/sqlite/schema.js'
import { zipOf } from '../support/importing.js'
import { collected } from './collecting.js'
import { damaged, databaseOf } from './databases.js'
import { seeded } from '../support/random.js'

t.setTimeout(600_000)

const folder = mkdtempSync(join(tmpdir(), 'coffer-sqlite-'))
t.teardown(() => rmSync(folder, { recursive: true }))
const path = join(folder, 'database')

interface Reading {
  readonly rows: Record<string, Cell[][]>
  readonly losses: { pages: number; rows: number }
  readonly gaps: string[]
  /** Number of bytes read. */
  readonly bytes: number
}

/** Reads these columns of all tables. */
function readingOf(content: Buffer, columns: (table: string) => readonly string[]): Reading {
  writeFileSync(path, content)
  let bytes = 0
  const database = new Database(path, by => (bytes += by))
  try {
    const losses = { pages: 0, rows: 0 }
    const rows = Object.fromEntries(
      database.tables.map(table => [table, [...database.readRows(table, columns(table), losses)]])
    )
    return { rows, losses, gaps: database.missingData, bytes }
  } finally {
    database.close()
  }
}

/** Returns what SQLite reads, in the reader's format. */
function truthOf(content: Buffer): Record<string, { columns: string[]; rows: Cell[][] }> {
  const database = new Sqlite(content)
  database.defaultSafeIntegers()
  const tables = database
    .prepare<[], { name: string }>(
      "select name from sqlite_master where type = 'table' and name not like 'sqlite_%'"
    )
    .all()
  const truth = Object.fromEntries(
    tables.map(({ name }) => {
      const columns = database
        .prepare<[string], { name: string }>('select name from pragma_table_info(?)')
        .all(name)
        .map(column => column.name)
      const rows = database.prepare<[], unknown[]>(
        `select ${columns.map(quoted).join()} from ${quoted(name)} not indexed`
      )
      return [
        name,
        {
          columns,
          rows: rows
            .raw()
            .all()
            .map(row => row.map(cellOf))
        }
      ]
    })
  )
  database.close()
  return truth
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

function cellOf(value: unknown): Cell {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : value
  return Buffer.isBuffer(value) ? undefined : (value as Cell)
}

const texts = [
  '',
  'a',
  'Uhr am Handgelenk',
  'montre à pulsations',
  '心率',
  '𝄞',
  'x'.repeat(300),
  'é'.repeat(9000)
]
const integers = [
  0n,
  1n,
  -1n,
  127n,
  -129n,
  40_000n,
  -9_000_000n,
  2n ** 31n,
  2n ** 45n,
  2n ** 53n,
  -(2n ** 62n),
  2n ** 63n - 1n
]

t.test("every value matches SQLite's", t => {
  const random = seeded(t)
  const value = (): unknown =>
    random.pick([
      () => null,
      () => random.pick(integers),
      () => BigInt(random.below(2 ** 40)),
      () => random.next() * 1000 - 500,
      () => random.pick([1e300, -0.5, Infinity, 3]),
      () => random.pick(texts),
      () => Buffer.alloc(random.below(3000), 7)
    ])()
  for (let round = 0; round < 40; round++) {
    const content = databaseOf(database => {
      database.pragma(`page_size = ${random.pick([512, 1024, 4096, 65_536])}`)
      database.pragma(`encoding = '${random.pick(['UTF-8', 'UTF-16le', 'UTF-16be'])}'`)
      database.pragma(`auto_vacuum = ${random.pick([0, 1])}`)
      database.exec(`
        create table plain (id integer primary key, a, b text, "c d" real, e integer);
        create table keyed (a text, k int, b, "from" int, primary key ("from", k desc)) without rowid;
        create table [odd ""] (a int /* one, two */, "as" text default 'x, (y', n integer,
          d as (a + 1), e int generated always as (n * 2) stored, -- last)
          f blob, primary key (n), check (a <> 5));
        create table no_rows (a, b);
        create index of_plain on plain (b, a);
        create view seen as select * from plain;
        create virtual table words using fts5(text);
        create trigger made after insert on no_rows begin insert into plain (a) values (1); end;`)
      const rows = random.below(300)
      const plain = database.prepare('insert or ignore into plain values (?, ?, ?, ?, ?)')
      const keyed = database.prepare('insert or ignore into keyed values (?, ?, ?, ?)')
      const odd = database.prepare('insert or ignore into "odd """"" (a, "as", n, f) values (?, ?, ?, ?)')
      for (let row = 0; row < rows; row++) {
        plain.run(
          random.pick([null, null, BigInt(row * 7), random.pick(integers)]),
          value(),
          value(),
          value(),
          value()
        )
        keyed.run(value(), random.pick(integers), value(), BigInt(random.below(50)))
        odd.run(BigInt(row + 6), value(), BigInt(random.below(1e6)), value())
      }
      database.exec(`delete from plain where e is null and a is not null;
        alter table plain add column added integer not null default -1;
        alter table plain add column word text default 'it''s';
        alter table plain add column none;
        insert into plain (a, added) values (5, 6);`)
      if (random.chance(0.3)) database.exec('vacuum')
    })
    const truth = truthOf(content)
    const found = readingOf(content, table => truth[table]!.columns)
    const names = Object.keys(truth).filter(name => name !== 'words')
    t.same(Object.keys(found.rows).toSorted(), names.toSorted(), `round ${round}`)
    for (const name of names) t.strictSame(found.rows[name], truth[name]!.rows, `${name} of round ${round}`)
    t.same([found.losses, found.gaps], [{ pages: 0, rows: 0 }, []])
  }
  t.end()
})

t.test('table definitions', t => {
  const rowIds: readonly (readonly [string, string | undefined])[] = [
    ['create table a (i integer primary key)', 'i'],
    ['CREATE TABLE "A" ("_id" INTEGER PRIMARY KEY AUTOINCREMENT ,"B" INTEGER NOT NULL )', '_id'],
    ['create table a (i "INTEGER" primary key asc, b)', 'i'],
    ['create table a (b, i integer, primary key (i))', 'i'],
    ['create table a (i integer constraint x primary key not null)', 'i'],
    ['create table a (i integer primary key desc)', undefined],
    ['create table a (i int primary key)', undefined],
    ['create table a (i integer unsigned primary key)', undefined],
    ['create table a (i integer(4) primary key)', undefined],
    ['create table a (i integer, b, primary key (i, b))', undefined],
    ['create table a (i integer primary key) strict, without rowid', undefined]
  ]
  for (const [sql, rowId] of rowIds) {
    t.equal(parseColumns(sql)?.rowId, rowId, sql)
    const database = new Sqlite(':memory:')
    database.exec(sql)
    const name = parseColumns(sql)!.stored.find(column => column.name === 'i' || column.name === '_id')!.name
    database
      .prepare(
        `insert into a (${name}${/\bb\b/i.test(sql) ? ', b' : ''}) values (7${/\bb\b/i.test(sql) ? ', 1' : ''})`
      )
      .run()
    if (!/without/.test(sql))
      t.equal(
        database.prepare('select rowid from a').pluck().get() === 7,
        rowId !== undefined,
        `SQLite: ${sql}`
      )
    database.close()
  }
  for (const sql of [
    '',
    'create table a',
    'create view a as select (1)',
    "create table a ('",
    'create table a (,)'
  ])
    t.equal(parseColumns(sql), undefined, sql)
  const before = process.cpuUsage()
  for (const part of ['[', '"', "'", '`', '/*', '(', 'a,', '--', '"" ', 'as ('])
    parseColumns(`create table a (${part.repeat(100_000)}`)
  const seconds = process.cpuUsage(before).user / 1e6
  t.ok(seconds < 4, `${seconds} s`)
  t.end()
})

const rows = 800
const numbers = databaseOf(database => {
  database.exec(`create table numbers (id integer primary key, value int, note text);
    create table keyed (a int, b text, primary key (a)) without rowid`)
  const statement = database.prepare('insert into numbers values (?, ?, ?)')
  const keyed = database.prepare('insert into keyed values (?, ?)')
  for (let row = 1; row <= rows; row++) {
    statement.run(row, row * 2, row % 100 === 0 ? 'long '.repeat(2000) : 'short')
    keyed.run(row, 'key')
  }
})
const columns = (): string[] => ['id', 'value', 'note', 'a', 'b']

/** Returns an interior page. */
function interior(children: readonly number[], start = 0): Buffer {
  const page = Buffer.alloc(4096)
  page[start] = 5
  const last = children.length - 1
  page.writeUInt16BE(last, start + 3)
  let at = page.length
  for (const [index, child] of children.slice(0, last).entries()) {
    at -= 5
    page.writeUInt32BE(child, at)
    page[at + 4] = index + 1
    page.writeUInt16BE(at, start + 12 + index * 2)
  }
  page.writeUInt16BE(at, start + 5)
  page.writeUInt32BE(children[last]!, start + 8)
  return page
}

t.test('an endless tree is read once', t => {
  // Each page refers to the next one 300 times: SQLite itself would never finish listing tables.
  const own = databaseOf(database => database.exec('create table a (b unique)'))
  const first = own.length / 4096 + 1
  const levels = Array.from({ length: 18 }, (_, at) => interior(Array(300).fill(first + at + 1)))
  const leaf = Buffer.alloc(4096)
  own.copy(leaf, 0, 100, 120)
  own.copy(leaf, 120, 120, 4096)
  const root = interior(Array(300).fill(first), 100)
  own.copy(root, 0, 0, 100)
  const content = Buffer.concat([root, own.subarray(4096), ...levels, leaf])
  const before = process.cpuUsage()
  const found = readingOf(content, () => ['b'])
  t.ok(found.bytes <= content.length)
  t.ok(process.cpuUsage(before).user < 2e6)
  t.match(found.gaps.join(), /list of tables is damaged/)
  t.same(Object.keys(found.rows), ['a'])
  t.end()
})

t.test('intact parts of a damaged database are read, each row once', t => {
  const random = seeded(t)
  let whole = 0
  let refused = 0
  const before = process.cpuUsage()
  for (let round = 0; round < 2000; round++) {
    const content = damaged(numbers, random)
    try {
      const found = readingOf(content, columns)
      t.ok(found.bytes <= content.length)
      const [read = [], keyed = []] = [found.rows['numbers'], found.rows['keyed']]
      whole += read.length
      if (read.length > rows * 4 || keyed.length > rows * 4) t.fail('rows are read more than once')
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error
      refused++
    }
  }
  t.comment(`${whole} rows, ${refused} refused, ${process.cpuUsage(before).user / 1e6} s`)
  t.ok(whole > rows * 300, 'some of it is read')
  t.end()
})

t.test('losses are counted', t => {
  const holed = Buffer.from(numbers)
  const whole = readingOf(numbers, columns)
  t.equal(whole.rows['numbers']!.length, rows)
  // A page of rows in the middle, and an overflow page of a long text.
  for (let page = 4096 * 20; page < holed.length; page += 4096)
    if (holed[page] === 13) {
      holed.fill(0, page, page + 4096)
      break
    }
  const found = readingOf(holed, columns)
  t.equal(found.losses.pages, 1)
  t.ok(found.rows['numbers']!.length > rows - 400 && found.rows['numbers']!.length < rows)
  const cut = readingOf(numbers.subarray(0, numbers.length - 40_960), columns)
  t.match(cut.gaps.join(), /cut off/)
  t.ok(cut.losses.pages + cut.losses.rows > 0)
  const unclear = Buffer.from(numbers)
  unclear.write('CREATE TABLE (((', unclear.indexOf('CREATE TABLE keyed'))
  const { gaps, rows: others } = readingOf(unclear, columns)
  t.same(Object.keys(others), ['numbers'])
  t.match(gaps.join(), /list of tables is damaged/)
  const busy = Buffer.from(numbers)
  busy.fill(2, 18, 20)
  t.match(readingOf(busy, columns).gaps.join(), /-wal/)
  t.end()
})

t.test('numbers of any size in place of others', t => {
  const content = databaseOf(database =>
    database.exec(`create table numbers (id integer primary key, value int, note text);
      insert into numbers values (9223372036854775807, 'seven', 1), (-9223372036854775808, 9007199254740993, x'00')`)
  )
  const { rows: found } = readingOf(content, () => ['ID', 'value', 'note', 'missing'])
  t.strictSame(found['numbers'], [
    [-(2n ** 63n), 9007199254740993n, undefined, undefined],
    [2n ** 63n - 1n, 'seven', '1', undefined]
  ])
  t.end()
})

t.test('a database of an unknown app is identified by its tables', async t => {
  const words = /SQLite database of no app that is known, with the tables "numbers", "keyed"/
  await t.rejects(collected(numbers, 'a.db'), { message: words })
  await t.rejects(collected(gzipSync(numbers), 'a.db.gz'), { message: words })
  await t.rejects(collected(await zipOf({ 'a.db': numbers }), 'a.zip'), { message: words })
  const within = await zipOf({
    'inner.zip': await zipOf({ 'a.db': numbers }),
    'weights.csv': 'time,weight (kg)\n2024-01-01,70\n'
  })
  const found = await collected(within, 'a.zip')
  t.equal(found.data.length, 1)
  t.match(found.warnings.join(), /within an archive within another one/)
  t.same(found.leftOut, { 'of no format that is known': 1 })
  const bare = Buffer.concat([numbers.subarray(0, 16), Buffer.alloc(200)])
  await t.rejects(collected(bare), { message: /damaged at its beginning/ })
  await t.rejects(collected(await zipOf({ 'a.db': bare })), { message: /damaged at its beginning/ })
})

t.test('tables with many columns are as fast as others of their size', async t => {
  const names = Array.from({ length: 1900 }, (_, at) => `C${at}`)
  const wide = databaseOf(database => {
    database.exec(
      `create table DEVICE (_id integer primary key, NAME text, IDENTIFIER text);
       create table WIDE_ACTIVITY_SAMPLE (TIMESTAMP integer, DEVICE_ID integer, HEART_RATE integer, ${names.join()})`
    )
    const insert = database.prepare('insert into WIDE_ACTIVITY_SAMPLE (TIMESTAMP, C1899) values (?, 1)')
    for (let at = 0; at < 3000; at++) insert.run(1.7e9 + at)
  })
  const before = process.cpuUsage()
  const found = await collected(wide, 'a.db')
  const seconds = process.cpuUsage(before).user / 1e6
  t.equal(found.records['WIDE_ACTIVITY_SAMPLE.C1899'], 3000)
  t.comment(`${seconds.toFixed(2)} s`)
  // Searching for each column among all others needed 15 seconds and more.
  t.ok(seconds < 4, `${seconds} s`)
  const many = databaseOf(database => {
    for (let at = 0; at < 60; at++) database.exec(`create table t${at} (${names.join()})`)
  })
  writeFileSync(path, many)
  const database = new Database(path, () => undefined)
  t.equal(database.tables.length, 52, 'more columns are beyond what is looked at')
  t.same(database.missingData, ['The list of tables is damaged: some of them may be missing'])
  database.close()
})

t.test('temporary files of an archive are removed, also if reading fails', async t => {
  const archive = join(folder, 'archive.zip')
  writeFileSync(archive, await zipOf({ 'a.db': numbers }))
  const before = readdirSync(folder)
  const failure = new Error('the sink fails')
  const sink = {
    beginFormat: () => undefined,
    addRecord: () => undefined,
    addFile: () => Promise.resolve(),
    skip: () => {
      throw failure
    },
    warn: () => undefined
  }
  const where = { name: 'archive.zip', size: statSync(archive).size, spool: join(folder, 'spool') }
  const context = { options: {}, reportTable: () => undefined }
  await t.rejects(
    readImportFile(archive, where, sink, context, () => undefined),
    failure
  )
  t.same(readdirSync(folder), before)
})
