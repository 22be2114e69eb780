/**
 * Randomly damaged backups and archives, some with matching digests: each command ends soon with an explanation, writes
 * nothing outside the target, and what it accepts can be served.
 */
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { Database } from 'better-sqlite3'
import { generateX25519Identity } from 'age-encryption'
import { ManualClock } from '../../core/time.js'
import { checkDirectory } from '../../scripts/maintenance/check.js'
import { Layout } from '../../storage/files/layout.js'
import { startServer } from '../../server/server.js'
import { changeRows, unzipped, zipOf, type Files } from '../support/archives.js'
import { methodModules, Service, testSettings, type Answer } from '../support/coffer.js'
import { command } from '../support/command.js'
import { ForgedBackup } from '../support/forged-backup.js'
import { fullCoffer, WatchedTarget } from '../support/forging.js'
import { oddity } from '../support/oddities.js'
import { Random } from '../support/random.js'
import { rotate } from '../support/rotation.js'

const isLong = process.env['COFFER_TEST_LONG'] === '1'
const seed = Number(process.env['COFFER_TEST_SEED'] ?? Date.now() % 1e6)
/** Cases of each kind: the long form takes about five minutes. */
const count = isLong ? 200 : 4

t.setTimeout(isLong ? 3_600_000 : 900_000)

/** Maximum duration of a command, and maximum memory of its process, for any input. */
const patienceMs = 30_000
const mostMemory = 1.5 * 1024 ** 3

/** Returns the files of a backup. */
function filesOf(root: string): string[] {
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .map(name => join(root, name))
    .filter(path => statSync(path).isFile() && !path.includes('backup.lock'))
    .toSorted()
}

/** Flips bits, truncates and swaps, as disks and people do. */
function damage(random: Random, paths: readonly string[]): string {
  const file = random.pick(paths)
  const other = random.pick(paths)
  const bytes = readFileSync(file)
  const what = random.pick(['flip', 'flip', 'cut', 'grow', 'swap', 'remove', 'empty', 'splice'])
  if (what === 'flip')
    for (let n = 1 + random.below(20); n > 0 && bytes.length > 0; n--)
      bytes[random.below(bytes.length)]! ^= 1 << random.below(8)
  if (what === 'flip') writeFileSync(file, bytes)
  if (what === 'cut') writeFileSync(file, bytes.subarray(0, random.below(bytes.length + 1)))
  if (what === 'grow') writeFileSync(file, Buffer.concat([bytes, Buffer.alloc(1 + random.below(70_000), 7)]))
  if (what === 'swap') {
    writeFileSync(file, readFileSync(other))
    writeFileSync(other, bytes)
  }
  if (what === 'remove') rmSync(file)
  if (what === 'empty') writeFileSync(file, '')
  if (what === 'splice') {
    const strange = readFileSync(other)
    const at = random.below(Math.min(bytes.length, strange.length) + 1)
    writeFileSync(file, Buffer.concat([bytes.subarray(0, at), strange.subarray(at)]))
  }
  return `${what} ${file.split('/').at(-1)}`
}

/** Returns the text of a JSON value with an odd value somewhere in it. */
function withOddity(random: Random, value: Answer): string {
  const mark = '\u0001here\u0001'
  const copy = structuredClone(value)
  let at = copy
  for (;;) {
    const keys = Object.keys(at)
    if (keys.length === 0) return oddity(random)
    const key = random.pick(keys)
    if (typeof at[key] === 'object' && at[key] !== null && random.chance(0.7)) {
      at = at[key]
      continue
    }
    const what = random.next()
    if (what < 0.1) delete at[key]
    else at[what < 0.2 ? `${key}x` : key] = mark
    return JSON.stringify(copy).replace(JSON.stringify(mark), () => oddity(random))
  }
}

/** Puts an odd value into a row of a database. */
function oddRow(random: Random, db: Database): string {
  // Includes the shadow tables of virtual tables.
  const all = "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type IN ('table', 'shadow')"
  const tables = db.prepare(`${all} AND substr(name, 1, 7) <> 'sqlite_'`).pluck().all() as string[]
  const filled = tables.filter(name => db.prepare(`SELECT 1 FROM "${name}"`).get() !== undefined)
  const table = random.pick(filled)
  const columns = (db.pragma(`table_info("${table}")`) as { name: string }[]).map(({ name }) => name)
  const name = random.pick(columns)
  const rows = db.prepare(`SELECT "${name}" FROM "${table}"`).pluck().all()
  const old = random.pick(rows)
  let value: unknown = random.pick<unknown>([
    null,
    0,
    -1,
    1e300,
    Infinity,
    2n ** 53n + 1n,
    -(2n ** 63n),
    0.5,
    '',
    'x',
    '../../x',
    `c${'0'.repeat(24)}`,
    Buffer.from('ff00', 'hex'),
    random.pick(rows)
  ])
  const parsed = typeof old === 'string' && /^[[{]/.test(old) ? valueOf(old) : undefined
  if (parsed !== undefined && random.chance(0.8)) {
    delete parsed.integrity
    value = withOddity(random, parsed)
  }
  try {
    db.prepare(`UPDATE OR IGNORE "${table}" SET "${name}" = ? WHERE "${name}" IS ?`).run(value, old)
  } catch {
    // SQLite refuses this value, so a forger cannot store it either.
  }
  return `${table}.${name} = ${String(value).slice(0, 80)}`
}

/** Parses a JSON text; returns `undefined` for invalid text. */
function valueOf(text: string): Answer {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Calls all reading methods, none of which may fail with an internal error. */
async function assertServed(t: Test, dataDir: string, username: string, what: string): Promise<void> {
  const clock = new ManualClock()
  const server = await startServer(testSettings(dataDir), { clock, methodModules })
  const service = new Service(server, clock, dataDir)
  try {
    const signIn = { username, appId: 'reader' }
    const { access, error, status } = await service.call(undefined, 'test.signIn', signIn)
    // Damaged accounts may be closed or suspended.
    if (!access) return void t.ok(status < 500, `${what}: signing in: ${JSON.stringify(error)}`)
    const ask = async (method: string, params: object = {}): Promise<Answer> => {
      const answer = await service.call(username, method, params, access.token)
      t.ok((answer.status ?? 200) < 500, `${what}: ${method}: ${JSON.stringify(answer.error)}`)
      return answer
    }
    const all = { limit: 100, state: 'all', includeDeletions: true, modifiedSince: 0 }
    for (const { id, type } of (await ask('events.get', all)).events ?? []) {
      await ask('events.getOne', { id, includeHistory: true })
      if (type.startsWith('series:')) await ask('hfs.get', { id, toDeltaTime: 5000 })
    }
    await ask('events.get', { streams: ['diary'], fromTime: 0, toTime: 2e9, running: true })
    await ask('streams.get', { state: 'all', includeDeletionsSince: 0 })
    await ask('accesses.get', { includeDeletions: true, includeExpired: true })
    for (const set of ['Public', 'Private']) await ask(`profile.get${set}`)
    for (const method of ['followedSlices.get', 'webhooks.get', 'account.get', 'sessions.get'])
      await ask(method)
    await ask('audit.get', { toTime: 2e9 })
    await ask('events.create', {
      streamIds: ['diary'],
      type: 'note/txt',
      content: 'goes on',
      tags: ['a tag']
    })
  } finally {
    await server.close()
  }
}

t.test('any content of a backup or an archive', async t => {
  t.comment(`COFFER_TEST_SEED=${seed}`)
  const source = await fullCoffer(t, { bobby: { email: 'b@example.com', language: 'en' } })
  const folder = t.testdir()
  const at = (name: string): string => join(folder, name)
  const dataDir = `--dataDir=${source.directory}`
  writeFileSync(at('identity'), await generateX25519Identity(), { mode: 0o600 })
  const identity = ['--identity', at('identity')]
  for (const args of [
    ['backup', at('plain'), dataDir],
    ['backup', at('sealed'), dataDir, ...identity],
    ['export', 'alice', at('alice.zip'), dataDir]
  ]) {
    const made = await command(args)
    if (made.code !== 0) throw new Error(made.errors)
  }
  const files = await unzipped(at('alice.zip'))
  let taken = 0

  /** Runs a command that writes into a data directory in a watched folder. */
  async function holds(t: Test, what: string, args: readonly string[], username = 'alice'): Promise<void> {
    const target = new WatchedTarget(folder)
    const started = performance.now()
    const { code, errors, output } = await command([...args, '--dataDir', target.path])
    const ended = `${what}: ended with ${code}: ${errors}${output}`
    t.ok(code === 0 || code === 1, ended)
    t.notMatch(errors + output, /^\s+at /m, ended)
    t.ok(code === 0 || errors.trim() !== '', ended)
    t.ok(performance.now() - started < patienceMs, `${what}: in time`)
    t.ok(process.memoryUsage().rss < mostMemory, `${what}: within memory`)
    target.assertAlone(t, `${what}: nothing is written elsewhere`)
    if (code !== 0 || args.includes('--verify'))
      return void t.same(target.held, [], `${what}: nothing is left`)
    taken++
    t.same((await checkDirectory(new Layout(target.path))).problems, [], `${what}: passes the check`)
    await assertServed(t, target.path, username, what)
  }

  async function restores(t: Test, what: string, copy: string, ...more: string[]): Promise<void> {
    await holds(t, what, ['restore', copy, ...more])
    await holds(t, `${what} (--verify)`, ['restore', '--verify', copy, ...more])
  }

  const copyOf = (name: string): string => {
    rmSync(at('copy'), { recursive: true, force: true })
    cpSync(at(name), at('copy'), { recursive: true })
    return at('copy')
  }

  /** Random cases, by kind. */
  const kinds: [string, (t: Test, random: Random) => Promise<void>][] = [
    [
      'a plain backup that is damaged',
      async (t, random) => {
        const copy = copyOf('plain')
        await restores(t, damage(random, filesOf(copy)), copy)
      }
    ],
    [
      'an encrypted backup that is damaged',
      async (t, random) => {
        const copy = copyOf('sealed')
        await restores(t, damage(random, filesOf(copy)), copy, ...identity)
      }
    ],
    [
      'lists of a backup with something odd in them',
      async (t, random) => {
        const f = new ForgedBackup(at('copy'), at('plain'))
        if (random.chance(0.5)) {
          const text = withOddity(random, f.manifest)
          writeFileSync(join(f.root, 'manifest'), text)
          return await restores(t, `manifest ${text.slice(0, 300)}`, f.root)
        }
        const { record } = f.user('alice')
        const text = withOddity(random, f.record('alice'))
        f.write(record, Buffer.from(text))
        f.save()
        await restores(t, `record ${text}`, f.root)
      }
    ],
    [
      'bytes of databases, with digests that fit',
      async (t, random) => {
        const f = new ForgedBackup(at('copy'), at('plain'))
        let what = ''
        f.changeFile('alice', bytes => {
          writeFileSync(at('bytes'), bytes)
          what = damage(random, [at('bytes')])
          return existsSync(at('bytes')) ? readFileSync(at('bytes')) : Buffer.alloc(0)
        })
        await restores(t, what, f.root)
      }
    ],
    [
      'rows of databases, with digests that fit',
      async (t, random) => {
        const f = new ForgedBackup(at('copy'), at('plain'))
        let what = ''
        const change = (db: Database): void => void (what = oddRow(random, db))
        if (random.chance(0.15)) f.changePlatform(change)
        else f.changeRows('alice', change)
        await restores(t, what, f.root)
      }
    ],
    [
      'an archive that is damaged',
      async (t, random) => {
        cpSync(at('alice.zip'), at('bad.zip'))
        const what = damage(random, [at('bad.zip')])
        await holds(t, what, ['import', at('bad.zip')])
      }
    ],
    [
      'an archive with something odd in its rows, with digests that fit',
      async (t, random) => {
        const forged: Files = new Map(files)
        const tables = [...files.keys()].filter(
          name => name.startsWith('tables/') && files.get(name)!.length > 0
        )
        const table = random.pick(tables).slice('tables/'.length, -'.jsonl'.length)
        let text = ''
        changeRows(forged, table, rows => {
          text = withOddity(random, random.pick(rows))
        })
        const place = `tables/${table}.jsonl`
        const lines = forged.get(place)!.toString().split('\n')
        lines[random.below(lines.length - 1)] = text
        forged.set(place, Buffer.from(lines.join('\n')))
        await zipOf(at('bad.zip'), forged)
        await holds(t, `${table}: ${text.slice(0, 500)}`, ['import', at('bad.zip')])
      }
    ]
  ]
  for (const [index, [kind, run]] of rotate(t, [...kinds.entries()], 2))
    t.test(`${kind} (COFFER_TEST_SEED=${seed})`, async t => {
      const random = new Random(seed * 1000 + index)
      for (let n = 0; n < count && !t.results?.fail; n++) await run(t, random)
    })
  // In the short form, there may be too few cases.
  const skip = !isLong && 'only in the long form'
  t.test('is accepted in some cases, since not all damage is harmful', { skip }, async t => {
    t.ok(taken > 0, `${taken} were taken`)
  })
})
