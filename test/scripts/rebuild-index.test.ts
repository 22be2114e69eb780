/** A damaged platform file: `coffer serve` reports it and names the solution, `coffer rebuild-index`. */
import { existsSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import SQLite from 'better-sqlite3'
import t, { type Test } from 'tap'
import { checkDirectory } from '../../scripts/maintenance/check.js'
import { ManualClock } from '../../core/time.js'
import { Layout } from '../../storage/files/layout.js'
import { startServer } from '../../server/server.js'
import { PlatformInspection } from '../../storage/inspection/platform-inspection.js'
import { recoverPlatformFile } from '../../storage/platform/recover-platform-file.js'
import { schemaVersions } from '../../storage/sqlite/copies.js'
import { openCoffer, testSettings, type Client } from '../support/coffer.js'
import { command, commandProcess } from '../support/command.js'

t.setTimeout(900_000)

/** Creates a data directory with two accounts, not in use. */
async function sample(t: Test): Promise<{ layout: Layout; alice: Client }> {
  const service = await openCoffer(t)
  const { alice, directory, server } = service
  await service.user('bob', { email: 'bob@example.com' })
  await alice.stream('diary')
  await alice.event({ content: 'still there' })
  await server.close()
  return { layout: new Layout(directory), alice }
}

const damages: readonly [string, (file: string) => void][] = [
  ['garbled', file => scribble(file)],
  ['truncated', file => truncateSync(file, 6000)],
  ['emptied', file => truncateSync(file, 0)],
  ['removed', file => rmSync(file)],
  ['replaced', file => writeFileSync(file, 'x'.repeat(10_000))]
]

t.test('a platform file', async t => {
  for (const [what, damage] of damages)
    t.test(`that is ${what} keeps the service from starting, and is recreated`, async t => {
      const { alice, layout } = await sample(t)
      damage(layout.platformFile)
      const flags = ['--port=0', `--dataDir=${layout.root}`]
      // One of them runs in a process, to check its output.
      const refused = await (what === 'garbled' ? commandProcess : command)(['serve', ...flags])
      t.equal(refused.code, 1)
      t.match(refused.errors, /platform\.sqlite: is damaged or missing.*coffer rebuild-index/)
      t.notMatch(refused.errors, '    at ')

      const done = await command(['rebuild-index', '--json', ...flags])
      t.equal(done.code, 0, done.errors + done.output)
      t.match(JSON.parse(done.output), { isNew: true, accounts: 2, problems: [] })
      t.equal(
        readdirSync(layout.root).some(name => name.includes('damaged')),
        what !== 'removed'
      )
      t.same((await checkDirectory(layout)).problems, [])
      const server = await startServer(testSettings(layout.root), { clock: new ManualClock() })
      t.teardown(() => server.close())
      const headers = { authorization: alice.token }
      t.match(await (await fetch(`${server.url}/alice/events`, { headers })).json(), {
        events: [{ content: 'still there' }]
      })
      t.equal((await fetch(`${server.url}/reg/bob@example.com/check_email`)).status, 409)
    })

  t.test('that is intact keeps everything but its index, which is recreated', async t => {
    const { layout } = await sample(t)
    sql(layout.platformFile, 'DELETE FROM unique_field')
    t.not((await checkDirectory(layout)).problems.length, 0)
    const done = await command(['rebuild-index', '--dataDir', layout.root])
    t.match([done.code, done.output], [0, /Index of unique values.* 2 accounts/])
    t.same((await checkDirectory(layout)).problems, [])
    t.notOk(readdirSync(layout.root).some(name => name.includes('damaged')))
  })

  t.test("that is damaged elsewhere keeps operators' changes", async t => {
    const service = await openCoffer(t, { adminKey: 'the key of the operator' })
    const key = { authorization: 'the key of the operator' }
    await service.http('POST', '/system/users/alice/quota', { bytes: 12 }, key)
    await service.http('POST', '/system/users/alice/suspension', {}, key)
    await service.server.close()
    const layout = new Layout(service.directory)
    sql(layout.platformFile, 'INSERT INTO growth (day, events, accounts) VALUES (20000, 12, 3)')
    sql(layout.platformFile, `INSERT INTO oauth_client_state VALUES ('some-app', '{"revoked":12}')`)
    sql(layout.platformFile, 'PRAGMA user_version = 0')
    t.match(await command(['rebuild-index', '--dataDir', layout.root]), { code: 0, output: '1 account' })
    const settings = testSettings(layout.root, { adminKey: 'the key of the operator' })
    const server = await startServer(settings, { clock: new ManualClock() })
    t.teardown(() => server.close())
    t.ok(server.services.platform.oauthClients.isRevoked('some-app'))
    const ask = async (path: string) => await (await fetch(server.url + path, { headers: key })).json()
    t.match(await ask('/system/users/alice'), { user: { state: 'suspended', quota: 12 } })
    t.match(await ask('/system/deeds'), {
      deeds: [{ method: 'system.suspendUser', username: 'alice' }, { detail: { bytes: 12 } }]
    })
    const kept = { time: 20_000 * 86_400, events: 12, accounts: 3, documents: null }
    t.match(await ask('/system/growth'), { growth: [kept] })
  })

  t.test('with a misplaced page loses only the rows that do not match', async t => {
    const { layout } = await sample(t)
    const { platformFile } = layout
    const rows = `INSERT INTO growth (day, events, accounts) VALUES (20000, 12, 3), (20001, 0, NULL);
      INSERT INTO invitation VALUES ('a', 1, 'ann', '', NULL, NULL), ('b', 1, 'ann', 'for bob', 2, 'bob');
      INSERT INTO operator_deed (time, method, detail, ip) VALUES (1, 'system.users', '{}', '::1')`
    sql(platformFile, rows)
    // Some of the copies are valid for SQLite.
    sql(platformFile, 'PRAGMA user_version = 0; PRAGMA wal_checkpoint(TRUNCATE)')
    const bytes = readFileSync(platformFile)
    const roots = rootsOf(platformFile)
    const tables = ['account', 'growth', 'invitation', 'operator_deed', 'secret']
    for (const lost of tables)
      for (const copied of tables.filter(table => table !== lost)) {
        const damaged = Buffer.from(bytes)
        const from = (roots.get(copied)! - 1) * 4096
        bytes.copy(damaged, (roots.get(lost)! - 1) * 4096, from, from + 4096)
        for (const kind of ['-wal', '-shm']) rmSync(platformFile + kind, { force: true })
        writeFileSync(platformFile, damaged)
        const what = `${copied} over ${lost}`
        const done = await command(['rebuild-index', '--json', '--dataDir', layout.root])
        t.equal(done.code, 0, `${what}: ${done.errors}${done.output}`)
        t.match(JSON.parse(done.output), { isNew: true, accounts: 2 }, what)
        t.same((await checkDirectory(layout)).problems, [], what)
        const salvaged = recoverPlatformFile(platformFile)
        t.equal(salvaged.accounts.length, 2, what)
        t.equal(salvaged.growth.length, lost === 'growth' ? 0 : 2, what)
        t.equal(salvaged.invitations.length, lost === 'invitation' ? 0 : 2, what)
        t.equal(salvaged.adminActions.length, lost === 'operator_deed' ? 0 : 1, what)
      }
  })

  t.test("with an unknown username gets the account's id instead, and reports that", async t => {
    const { layout } = await sample(t)
    rmSync(layout.platformFile)
    const [shard = ''] = readdirSync(layout.usersDirectory)
    const [id = ''] = readdirSync(join(layout.usersDirectory, shard))
    rmSync(join(layout.userDirectory(id), 'owner.json'))
    const done = await command(['rebuild-index', '--json', '--dataDir', layout.root])
    t.equal(done.code, 1)
    t.match(JSON.parse(done.output), {
      accounts: 2,
      problems: [{ user: id, detail: 'its name is unknown' }]
    })
  })

  t.test('is not modified while a service uses it', async t => {
    const { directory } = await openCoffer(t)
    const refused = await command(['rebuild-index', '--dataDir', directory])
    t.match(refused, { code: 1, errors: 'in use by another process' })
    t.match(await command(['rebuild-index', '--dataDir', join(directory, 'nowhere')]), {
      code: 1,
      errors: 'folder not found'
    })
    t.notOk(existsSync(join(directory, 'nowhere')))
  })
})

t.test('coffer migrate', async t => {
  t.test('reports files that it cannot open, and continues', async t => {
    const { layout } = await sample(t)
    const [shard = ''] = readdirSync(layout.usersDirectory)
    const [id = ''] = readdirSync(join(layout.usersDirectory, shard))
    truncateSync(layout.userFile(id), 0)
    const done = await command(['migrate', '--json', '--dataDir', layout.root])
    t.equal(done.code, 1)
    t.match(JSON.parse(done.output), { accounts: 2, problems: [{ detail: 'missing or empty' }] })
  })
})

/** Returns the first page of each table, by name. */
function rootsOf(file: string): Map<string, number> {
  const db = new SQLite(file)
  const rows = db.prepare('SELECT name, rootpage FROM sqlite_schema').raw().all() as [string, number][]
  db.close()
  return new Map(rows)
}

function sql(file: string, text: string): void {
  const db = new SQLite(file)
  db.exec(text)
  db.close()
}

/** Overwrites all pages but the first. */
function scribble(file: string): void {
  const bytes = readFileSync(file)
  bytes.fill(0x5a, 4096)
  writeFileSync(file, bytes)
}

/** Sets another version in a closed file. Returns its bytes. */
function setVersion(file: string, version: number): Buffer {
  const db = new SQLite(file)
  db.pragma(`user_version = ${version}`)
  db.pragma('wal_checkpoint(TRUNCATE)')
  db.close()
  return readFileSync(file)
}

t.test('files of a newer version', async t => {
  const { alice, layout } = await sample(t)
  const flags = [`--dataDir=${layout.root}`]
  const inspection = new PlatformInspection(layout)
  const ids = new Map([...inspection.accounts()].map(({ id, username }) => [username, id]))
  inspection.close()
  const place = join(layout.root, '..', `${basename(layout.root)}-backup`)
  t.equal((await command(['backup', place, ...flags])).code, 0)
  const newer = /has schema version 1000, but this software supports versions up to \d+ only\. Upgrade/

  await t.test('of the platform are reported by name, and not modified by any repair', async t => {
    const { platformFile } = layout
    const before = setVersion(platformFile, 1000)
    const names = readdirSync(layout.root)
    for (const [name, ...more] of [
      ['serve', '--port=0'],
      ['rebuild-index'],
      ['check'],
      ['migrate', '--without-backup'],
      ['health'],
      ['restore', place, '--user', 'alice'],
      ['user', 'list'],
      ['backup', `${place}-2`],
      ['export', 'alice', `${place}.place`]
    ] as const) {
      const { code, errors, output } = await command([name, ...more, ...flags])
      t.equal(code, 1, name)
      t.match(errors + output, newer, name)
      t.notMatch(errors + output, 'damaged', name)
      t.ok(readFileSync(platformFile).equals(before), name)
    }
    t.throws(() => recoverPlatformFile(platformFile), { name: 'StoreTooNew' })
    t.same(
      readdirSync(layout.root)
        .filter(name => !/-(?:shm|wal)$/.test(name))
        .toSorted(),
      names.filter(name => !/-(?:shm|wal)$/.test(name)).toSorted()
    )
    setVersion(platformFile, schemaVersions.platform)
  })

  await t.test('of an account are reported by name, and not modified', async t => {
    const file = layout.userFile(ids.get('alice')!)
    const before = setVersion(file, 1000)
    const isUnchanged = (): boolean => readFileSync(file).equals(before)
    for (const [name, ...more] of [
      ['rebuild-index'],
      ['check'],
      ['restore', place, '--user', 'alice']
    ] as const) {
      const { code, errors, output } = await command([name, ...more, ...flags])
      t.equal(code, 1, name)
      t.match(errors + output, newer, name)
      t.ok(isUnchanged(), name)
    }
    const server = await startServer(testSettings(layout.root), { clock: new ManualClock() })
    t.teardown(() => server.close())
    const headers = { authorization: alice.token }
    for (const method of ['GET', 'POST']) {
      const answer = await fetch(`${server.url}/alice/events`, { method, headers })
      t.equal(answer.status, 503)
      t.ok(Number(answer.headers.get('retry-after')) > 0)
      t.match(await answer.json(), {
        error: { id: 'api-unavailable', message: /newer version of this service/ }
      })
    }
    await server.close()
    t.ok(isUnchanged())
    rmSync(layout.platformFile)
    for (const kind of ['-wal', '-shm']) rmSync(layout.platformFile + kind, { force: true })
    const { code, errors } = await command(['rebuild-index', ...flags])
    t.equal(code, 1)
    t.match(errors, newer)
    t.notOk(existsSync(layout.platformFile), 'nothing is made without it')
    setVersion(file, schemaVersions.user)
    t.equal((await command(['rebuild-index', ...flags])).code, 0)
    t.same((await checkDirectory(layout)).problems, [])
  })
})
