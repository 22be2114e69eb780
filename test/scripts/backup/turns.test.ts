/** Backups that several processes schedule: failures of one cause no alert once another one is responsible. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { EngineUnavailable } from '../../../cluster/engine.js'
import { silentLog } from '../../../core/log.js'
import { BackupCoordinator } from '../../../scripts/backup/sources/backup-coordinator.js'
import { MemoryCluster } from '../../cluster/memory-engine.js'
import { ScheduledBackups } from '../../../scripts/backup/scheduled-backups.js'
import { Layout } from '../../../storage/files/layout.js'
import { testSettings } from '../../support/coffer.js'
import { until } from '../../support/socket.js'

/** Returns the backup coordinator of a node. */
function turnsOf(node: string, cluster: MemoryCluster): BackupCoordinator {
  return new BackupCoordinator(node, async () => await Promise.resolve(cluster.connect()))
}

/** Registers a node as alive, with a process, and optionally as serving the first shard. */
async function place(cluster: MemoryCluster, node: string, process: string, serves: boolean): Promise<void> {
  const { register } = cluster.connect()
  const set = async (key: string, value: object): Promise<void> => {
    const revision = (await register.get(key))?.revision ?? 0
    await register.cas(key, revision, Buffer.from(JSON.stringify(value)))
  }
  const facts = { software: '0', schema: 1, url: '', started: 0, beat: 1 }
  await set(`node.${node}`, { ...facts, incarnation: 1, state: 'alive', process })
  if (serves) await set('shard.00', { node, incarnation: 1, schema: 1 })
}

t.test('which process is responsible', async t => {
  const cluster = new MemoryCluster()
  const { signal } = new AbortController()
  const [one, two] = ['n1', 'n2'].map(node => turnsOf(node, cluster)) as [
    BackupCoordinator,
    BackupCoordinator
  ]
  await place(cluster, 'n1', 'a', true)
  await place(cluster, 'n2', 'b', false)
  t.same(await one.look(signal), { isOurs: true, finished: undefined })
  t.same(await two.look(signal), { isOurs: false, finished: undefined })
  t.equal(await one.begin(signal), true)
  t.same(
    await one.look(signal),
    { isOurs: true, finished: undefined },
    'what it began itself is in nobody’s way'
  )

  await place(cluster, 'n2', 'b', true)
  t.match(await two.look(signal), { isOurs: false }, 'another one is still making it')
  t.equal(await two.begin(signal), false, 'also where that was begun since it looked')
  await one.end(1e9, signal)
  t.same(await two.look(signal), { isOurs: true, finished: 1e9 }, 'the last one is known to all')
  t.match(await one.look(signal), { isOurs: false })

  t.equal(await two.begin(signal), true)
  await place(cluster, 'n1', 'a', true)
  t.match(await one.look(signal), { isOurs: false })
  await place(cluster, 'n2', 'another process', false)
  t.match(await one.look(signal), { isOurs: true }, 'who made it has been started anew since')
  await two.end(undefined, signal)
  t.same(await one.look(signal), { isOurs: true, finished: 1e9 }, 'one that failed leaves the last as it was')

  const { register } = cluster.connect()
  await register.cas('backup', (await register.get('backup'))!.revision, Buffer.from('{ rubbish'))
  t.same(await one.look(signal), { isOurs: true, finished: undefined }, 'what cannot be read says nothing')
  t.equal(await one.begin(signal), true)
})

t.test('an engine that does not respond for a moment', async t => {
  const cluster = new MemoryCluster()
  await place(cluster, 'n1', 'a', true)
  let failures = 1
  const turns = new BackupCoordinator('n1', async () => {
    if (failures-- > 0) throw new EngineUnavailable()
    return await Promise.resolve(cluster.connect())
  })
  const closing = new AbortController()
  t.equal(await turns.begin(closing.signal), true)
  failures = 1
  await turns.end(1e9, closing.signal)
  t.match(await turns.look(closing.signal), { finished: 1e9 })
  failures = Infinity
  const looking = turns.look(closing.signal)
  closing.abort()
  await t.rejects(looking, { name: 'AbortError' })
})

t.test('a failure of a process that is no longer responsible', async t => {
  const directory = mkdtempSync(join(tmpdir(), 'coffer-turns-'))
  t.teardown(() => rmSync(directory, { recursive: true, force: true }))
  const layout = new Layout(directory)
  const cluster = new MemoryCluster()
  await place(cluster, 'n2', 'b', true)
  const kept = { attempted: 1e9, succeeded: 9e8, failures: 2, problem: 'the place is full' }
  writeFileSync(layout.backupStateFile, JSON.stringify(kept))
  const backups = new ScheduledBackups({
    settings: testSettings(directory, { backup: { to: join(directory, 'place') } }),
    flags: [],
    layout,
    log: silentLog,
    coordinator: turnsOf('n1', cluster),
    notifyFailure: () => Promise.reject(new Error('nothing is to be told'))
  })
  t.teardown(() => backups.close())
  t.match(backups.getState(), { failures: 2, problem: 'the place is full' })
  backups.start()
  await until(() => backups.getState().failures === 0, 'the failures to be left to the other one')
  t.equal(backups.getState().problem, undefined)
  t.same(JSON.parse(readFileSync(layout.backupStateFile, 'utf8')), {
    attempted: 1e9,
    succeeded: 9e8,
    failures: 0
  })
})
