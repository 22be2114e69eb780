/** Upgrades: a data directory of an earlier version is opened; `coffer migrate` reports its steps, after a backup. */
import { existsSync, readdirSync, readFileSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { checkDirectory } from '../../scripts/maintenance/check.js'
import { ManualClock } from '../../core/time.js'
import { Layout } from '../../storage/files/layout.js'
import { PlatformInspection } from '../../storage/inspection/platform-inspection.js'
import { schemaVersions } from '../../storage/sqlite/copies.js'
import { startServer } from '../../server/server.js'
import { openCoffer, testSettings, type Client } from '../support/coffer.js'
import { command, type Ended } from '../support/command.js'
import { treeOf } from '../support/forged-backup.js'
import { beforeTexts, makeOlder, versionAt, type Versions } from '../support/older-folder.js'

t.setTimeout(900_000)

interface Folder {
  readonly layout: Layout
  readonly alice: Client
  migrate(...more: string[]): Promise<Ended>
}

/** Creates a data directory with two accounts, as an earlier version left it, not in use. */
async function folder(t: Test, versions?: Versions): Promise<Folder> {
  const service = await openCoffer(t)
  const { alice, directory, server } = service
  await service.user('bob', { email: 'bob@example.com' })
  await alice.stream('diary')
  await alice.event({ content: 'still there', streamIds: ['diary'] })
  await alice.event({ content: 70, type: 'mass/kg', streamIds: ['diary'] })
  await server.close()
  const layout = new Layout(directory)
  if (versions) makeOlder(layout, versions)
  return {
    layout,
    alice,
    migrate: async (...more) => await command(['migrate', `--dataDir=${layout.root}`, ...more])
  }
}

/** Returns the versions of the files of a data directory. */
function versionsOf(layout: Layout): { platform: unknown; users: unknown[] } {
  const inspection = new PlatformInspection(layout)
  const ids = [...inspection.accounts()].map(({ id }) => id)
  inspection.close()
  return { platform: versionAt(layout.platformFile), users: ids.map(id => versionAt(layout.userFile(id))) }
}

const current = { platform: schemaVersions.platform, users: [schemaVersions.user, schemaVersions.user] }

t.test('a data directory of an earlier version', async t => {
  for (const versions of [
    { platform: 1, user: 1 },
    { platform: 4, user: 8 },
    { platform: 5, user: beforeTexts }
  ])
    t.test(`is opened by the service: ${JSON.stringify(versions)}`, async t => {
      const { alice, layout } = await folder(t, versions)
      t.same(versionsOf(layout), { platform: versions.platform, users: [versions.user, versions.user] })
      const server = await startServer(testSettings(layout.root), { clock: new ManualClock() })
      t.teardown(() => server.close())
      const headers = { authorization: alice.token, 'content-type': 'application/json' }
      const at = `${server.url}/alice/events`
      t.match(await (await fetch(at, { headers })).json(), {
        events: [{ content: 70 }, { content: 'still there' }]
      })
      const body = JSON.stringify({ streamIds: ['diary'], type: 'note/txt', content: 'and more' })
      t.equal((await fetch(at, { method: 'POST', headers, body })).status, 201)
      t.match(await (await fetch(`${at}?text=still`, { headers })).json(), {
        events: [{ content: 'still there' }]
      })
      await server.close()
      t.equal(versionAt(layout.platformFile), schemaVersions.platform)
      t.equal((await command(['migrate', '--without-backup', `--dataDir=${layout.root}`])).code, 0)
      t.same((await checkDirectory(layout)).problems, [])
    })
})

t.test('exports of an earlier version change nothing in it', async t => {
  const versions = { platform: 4, user: beforeTexts }
  const { layout } = await folder(t, versions)
  const to = t.testdir()
  const [archive, table] = [join(to, 'alice.zip'), join(to, 'alice.csv')]
  const from = `--dataDir=${layout.root}`
  t.match(await command(['export', 'alice', archive, from]), { code: 0, errors: '' })
  const options = ['--format', 'csv', '--out', table]
  t.match(await command(['export-data', 'alice', ...options, from]), { code: 0, errors: '' })
  t.match(readFileSync(table, 'utf8'), 'still there')
  t.same(versionsOf(layout), { platform: 4, users: [beforeTexts, beforeTexts] })
  const target = new Layout(join(to, 'other'))
  t.match(await command(['import', archive, `--dataDir=${target.root}`]), { code: 0, errors: '' })
  const { counts, problems } = await checkDirectory(target)
  t.same(problems, [])
  t.ok(counts.events >= 2)
})

t.test('coffer migrate', async t => {
  const versions = { platform: 4, user: beforeTexts }

  t.test('--look reports what it would do, without changes', async t => {
    const { layout, migrate } = await folder(t, versions)
    // SQLite leaves -wal and -shm files next to a database that was only read.
    const tree = (): string[] => treeOf(layout.root).filter(line => !/-(?:wal|shm) \w+$/.test(line))
    const before = tree()
    const done = await migrate('--look')
    t.equal(done.code, 0, done.errors)
    t.match(
      done.output,
      /^2 accounts \(to migrate to version \d+: 2\), from version 15 or later: text search, /
    )
    t.match(
      done.output,
      /^the platform database would be migrated from version 4 to \d+: unique fields, operators, /m
    )
    t.match(done.output, /^disk space: \d+\.\d MiB to migrate, up to \d+\.\d MiB needed, [\d.]+ MiB free$/m)
    t.match(JSON.parse((await migrate('--look', '--json')).output), {
      platform: { version: 4, steps: ['uniqueFields', 'operators'] },
      accounts: 2,
      outdated: 2,
      users: { version: beforeTexts },
      problems: []
    })
    t.same(tree(), before)
    t.same(versionsOf(layout), { platform: 4, users: [beforeTexts, beforeTexts] })
  })

  t.test('refuses to start without a backup, unless requested', async t => {
    const { layout, migrate } = await folder(t, versions)
    t.match(await migrate(), {
      code: 1,
      errors: /2 databases of 2 accounts would be migrated.*--without-backup/
    })
    t.match(await migrate('--backup=/x', '--without-backup'), { code: 1, errors: /can't be combined/ })
    t.match(await migrate(`--backup=${join(layout.root, 'inside')}`), { code: 1, errors: /inside the data/ })
    t.same(versionsOf(layout), { platform: 4, users: [beforeTexts, beforeTexts] })
    const done = await migrate('--without-backup', '--json')
    t.equal(done.code, 0, done.errors)
    t.match(JSON.parse(done.output), { accounts: 2, migrated: 2, platform: 4, problems: [] })
    t.same(versionsOf(layout), current)
    t.match(await migrate('--look'), { code: 0, output: '2 accounts: nothing to migrate' })
    t.match(await migrate(), { code: 0, output: /2 accounts \(migrated to version \d+: 0\)/ })
  })

  t.test('makes a backup of the original files, which can be restored', async t => {
    const { layout, migrate } = await folder(t, versions)
    const to = join(t.testdir(), 'backup')
    const done = await migrate(`--backup.to=${to}`)
    t.equal(done.code, 0, done.errors)
    t.match(done.output, `backup made before the migration: ${to}`)
    t.same(versionsOf(layout), current)
    const kept = readdirSync(to, { recursive: true, encoding: 'utf8' }).filter(name =>
      name.endsWith('.sqlite')
    )
    t.same(
      kept.map(name => [name.startsWith('platform'), versionAt(join(to, name))]).toSorted(),
      [
        [false, beforeTexts],
        [false, beforeTexts],
        [true, 4]
      ].toSorted()
    )
    const target = new Layout(join(t.testdirName, 'restored'))
    t.match(await command(['restore', to, `--dataDir=${target.root}`]), { code: 0, output: '2 accounts' })
    t.same((await checkDirectory(target)).problems, [])
  })

  t.test('migrates nothing if the backup is incomplete', async t => {
    const { layout, migrate } = await folder(t, versions)
    const inspection = new PlatformInspection(layout)
    const [{ id } = { id: '' }] = inspection.accounts()
    inspection.close()
    truncateSync(layout.userFile(id), 0)
    const to = join(t.testdir(), 'backup')
    t.match(await migrate(`--backup=${to}`), {
      code: 1,
      errors: /Nothing was migrated.*\n.*missing or empty/
    })
    t.equal(versionAt(layout.platformFile), 4)
    t.ok(existsSync(to))
    t.match(await migrate('--look'), {
      code: 1,
      errors: 'missing or empty',
      output: /2 accounts \(to migrate to version \d+: 1\)/
    })
    t.match(await migrate('--without-backup'), {
      code: 1,
      errors: 'missing or empty',
      output: /2 accounts \(migrated to version \d+: 1\)/
    })
  })

  t.test('reports files of a newer version', async t => {
    const { layout, migrate } = await folder(t)
    const { default: SQLite } = await import('better-sqlite3')
    const db = new SQLite(layout.platformFile)
    db.pragma('user_version = 1000')
    db.close()
    for (const more of ['--look', '--without-backup']) {
      const { code, errors } = await migrate(more)
      t.equal(code, 1)
      t.match(errors, /newer|1000/)
      t.notMatch(errors, /^ {4}at /m)
    }
  })
})
