/** A node that may be cut off does not report missing data, even for requests that need no account file. */
import t from 'tap'
import { EngineUnavailable } from '../../../cluster/engine.js'
import { until } from '../../support/socket.js'
import { MemoryCluster } from '../memory-engine.js'
import { begin, startNode } from './memory-nodes.js'

t.setTimeout(300_000)

t.test('an unknown email address is answered with 503 once the lease has ended', async t => {
  const cluster = new MemoryCluster()
  await begin(t, cluster)
  const { engine, service } = await startNode(t, cluster, 'n1')
  const statusOf = async (path: string): Promise<number> => (await service.http('GET', path)).status
  const ask = async (): Promise<number> => await statusOf('/reg/nobody@example.com/username')
  t.equal(await ask(), 404)
  await until(async () => (await statusOf('/readyz')) === 200, 'all shards to be served')
  // As when the leader of the platform log is cut off as well, and does not know it.
  engine.register.cas = async () => await Promise.reject(new EngineUnavailable())
  await until(async () => (await statusOf('/readyz')) === 503, 'the lease to end')
  t.equal(await ask(), 503)
})
