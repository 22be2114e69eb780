/** Nodes that take accounts over from each other, with a real engine of which a server is killed: nothing is lost. */
import type { Test } from 'tap'
import { accountSubject } from '../../../cluster/nats/subjects.js'
import { openObjects } from '../../../cluster/objects/open.js'
import { Random } from '../../support/random.js'
import type { EngineServers } from '../engine-servers.js'
import { Nodes } from '../nodes.js'

const seed = Number(process.env['COFFER_TEST_SEED'] ?? Date.now() % 1e6)
const rounds = process.env['COFFER_TEST_LONG'] === '1' ? 200 : 5

/** Tests it on servers with streams. One of them remains killed. */
export async function losesNothing(t: Test, servers: EngineServers): Promise<void> {
  t.comment(`COFFER_TEST_SEED=${seed}`)
  const engine = await servers.connect(t)
  const shared = {
    log: engine,
    objects: openObjects('nats', engine),
    snapshotBytes: 50_000,
    getSubject: (account: string) => accountSubject(0, account)
  }
  const nodes = new Nodes(t, shared, new Random(seed))
  await nodes.start(2, 3)
  await nodes.run(rounds)
  await servers.kill(1)
  await nodes.run(rounds)
  t.same(await nodes.wrong(), [])
  t.same(await nodes.differences(), [])
  t.ok(nodes.told > rounds / 2)
  t.comment(`${JSON.stringify(Object.fromEntries(nodes.answers))}, ${nodes.told} told`)
}
