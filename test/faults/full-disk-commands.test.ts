/** Commands, upgrades and restores on a full disk: existing data is unchanged, and they work once there is space. */
import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { checkDirectory } from '../../scripts/maintenance/check.js'
import { ManualClock } from '../../core/time.js'
import { startServer, type Server } from '../../server/server.js'
import { Layout } from '../../storage/files/layout.js'
import { PlatformInspection } from '../../storage/inspection/platform-inspection.js'
import { schemaVersions } from '../../storage/sqlite/copies.js'
import { methodModules, Service, testSettings, type Answer } from '../support/coffer.js'
import { command } from '../support/command.js'
import { makeOlder, versionAt } from '../support/older-folder.js'
import { inRotation } from '../support/rotation.js'
import { SmallDisk } from './small-disk.js'

t.setTimeout(900_000)

const disk = SmallDisk.mounted(t, 32)
const skip = typeof disk === 'string' ? disk : false
const stackTrace = /^ {4}at /m

/** Creates a data directory on the disk with an account of 3 MB, not in use. */
async function folder(
  t: Test,
  name: string
): Promise<{ layout: Layout; token: string; open: () => Promise<Server> }> {
  const root = join((disk as SmallDisk).directory, name)
  mkdirSync(root, { mode: 0o700 })
  const open = async (): Promise<Server> => {
    const server = await startServer(testSettings(root), { clock: new ManualClock(), methodModules })
    t.teardown(() => server.close())
    return server
  }
  const server = await open()
  const alice = await new Service(server, new ManualClock(), root).user('alice')
  await alice.stream('diary')
  for (let n = 0; n < 30; n++) await alice.event({ content: `${n}${'word '.repeat(20_000)}` })
  await server.close()
  return { layout: new Layout(root), token: alice.token, open }
}

function versionOf(layout: Layout): unknown {
  const inspection = new PlatformInspection(layout)
  const [account] = [...inspection.accounts()]
  inspection.close()
  return versionAt(layout.userFile(account!.id))
}

t.test('on a full disk', { skip }, async t => {
  const small = disk as SmallDisk
  const rarely = inRotation(t, 2)

  await rarely('an account of an earlier version is opened once there is space', async t => {
    const { layout, open, token } = await folder(t, 'opened')
    makeOlder(layout, { platform: schemaVersions.platform, user: 8 })
    const server = await open()
    const read = async (): Promise<{ status: number; body: Answer }> => {
      const response = await fetch(`${server.url}/alice/events?limit=100&fromTime=0`, {
        headers: { authorization: token }
      })
      return { status: response.status, body: await response.json() }
    }
    for (const room of [0, 300_000, 2_000_000]) {
      small.fill(room)
      const { body, status } = await read()
      if (status !== 200)
        t.match({ body, status }, { status: 507, body: { error: { id: 'insufficient-storage' } } })
      small.empty()
    }
    t.equal((await read()).body.events.length, 30)
    await server.close()
    t.equal(versionOf(layout), schemaVersions.user)
    t.same((await checkDirectory(layout)).problems, [])
  })

  await rarely('coffer migrate leaves the old version, or the new one', async t => {
    const { layout } = await folder(t, 'migrated')
    makeOlder(layout, { platform: 4, user: 8 })
    const migrate = async (): Promise<Answer> =>
      await command(['migrate', '--without-backup', `--dataDir=${layout.root}`])
    for (const room of [0, 100_000, 300_000, 2_000_000]) {
      small.fill(room)
      const { code, errors } = await migrate()
      t.notMatch(errors, stackTrace)
      small.empty()
      t.ok([8, schemaVersions.user].includes(versionOf(layout) as number), `left whole with ${room} bytes`)
      if (code !== 0) t.match(errors, /space|full/i)
    }
    t.equal((await migrate()).code, 0)
    t.equal(versionOf(layout), schemaVersions.user)
    t.same((await checkDirectory(layout)).problems, [])
  })

  await rarely('backups, exports and restores leave nothing incomplete', async t => {
    const { layout } = await folder(t, 'source')
    const to = join(small.directory, 'backup')
    const target = join(small.directory, 'target')
    const zip = join(small.directory, 'alice.zip')
    // SQLite leaves -wal and -shm files next to a database that was only read.
    const names = (): string[] =>
      readdirSync(layout.root)
        .filter(name => !/-(?:wal|shm)$/.test(name))
        .toSorted()
    const before = names()
    const runs: [string, string[], () => boolean][] = [
      ['backup', ['backup', to, `--dataDir=${layout.root}`], () => true],
      [
        'export',
        ['export', 'alice', zip, `--dataDir=${layout.root}`],
        () => !readdirSync(small.directory).some(name => name.includes('.part'))
      ],
      [
        'restore',
        ['restore', to, `--dataDir=${target}`],
        () =>
          !readdirSync(small.directory).includes('target') ||
          readdirSync(target).every(name => name.endsWith('.lock'))
      ],
      ['check', ['check', `--dataDir=${layout.root}`], () => true]
    ]
    for (const [name, args, isClean] of runs) {
      let isDone = false
      for (const room of [0, 100_000, 1_000_000, undefined]) {
        if (room !== undefined) small.fill(room)
        const { code, errors } = await command(args)
        small.empty()
        t.notMatch(errors, stackTrace)
        isDone = code === 0
        if (isDone) break
        t.match(errors, /no space|full/i)
        t.same(names(), before, `${name} leaves the folder as it was`)
        t.ok(isClean(), `${name} leaves nothing half`)
      }
      t.ok(isDone, `${name} works once there is room`)
    }
    t.same((await checkDirectory(new Layout(target))).problems, [])
  })
})
