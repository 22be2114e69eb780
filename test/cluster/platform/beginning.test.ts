/** Creating a cluster from the folder of a service, over an in-memory engine. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { logSubject } from '../../../cluster/nodes/shard-placement.js'
import { decode } from '../../../cluster/records.js'
import { createFixedShards } from '../../../core/call/shard.js'
import { silentLog } from '../../../core/log.js'
import { ManualClock } from '../../../core/time.js'
import type { Settings } from '../../../core/settings/settings.js'
import { createCluster } from '../../../scripts/maintenance/create-cluster.js'
import { startServer } from '../../../server/server.js'
import { Layout } from '../../../storage/files/layout.js'
import { setPosition } from '../../../storage/wal/closed-file.js'
import { methodModules, Service, testSettings } from '../../support/coffer.js'
import { MemoryCluster } from '../memory-engine.js'
import { MemoryObjects } from '../memory-objects.js'

t.test('continues with an account of which several commits were made and none arrived', async t => {
  const directory = mkdtempSync(join(tmpdir(), 'coffer-beginning-'))
  t.teardown(() => rmSync(directory, { recursive: true, force: true }))
  const clock = new ManualClock()
  const server = await startServer(testSettings(directory), { clock, methodModules, log: silentLog })
  await new Service(server, clock, directory).call(undefined, 'test.createUser', { username: 'alice' })
  const { id } = server.services.accounts.find('alice')!
  await server.close()
  // As left by an attempt that was killed while its engine did not respond.
  setPosition(new Layout(directory).userFile(id), { lsn: 2, epoch: 1 })

  const engine = new MemoryCluster().connect()
  const node = { node: 'n1', engine: 'nats://memory' }
  const settings = testSettings(directory, { workers: 0, cluster: node })
  t.equal(await createCluster(settings, engine, new MemoryObjects()), 1)
  const last = await engine.last(logSubject(createFixedShards(64).indexOf('alice'), id))
  t.ok(last && decode(last.bytes).position.lsn >= 1, 'the log has begun')
})

t.test('refuses an object store that belongs to another cluster', async t => {
  const root = mkdtempSync(join(tmpdir(), 'coffer-beginning-'))
  t.teardown(() => rmSync(root, { recursive: true, force: true }))
  const objects = new MemoryObjects()
  const [one, other] = ['one', 'other'].map(name => {
    mkdirSync(join(root, name))
    const cluster = { node: 'n1', engine: 'nats://memory' }
    return testSettings(join(root, name), { workers: 0, cluster })
  }) as [Settings, Settings]
  await createCluster(one, new MemoryCluster().connect(), objects)
  const kept = objects.keys
  t.not(kept.length, 0)
  await t.rejects(createCluster(other, new MemoryCluster().connect(), objects), /another cluster/)
  t.same(objects.keys, kept)
  t.equal(await createCluster(other, new MemoryCluster().connect(), new MemoryObjects()), 0)
})
