/**
 * Whoever takes an account over, whenever, and whatever has become of files: everything that was acknowledged is there, and
 * nothing that was refused.
 */
import t, { type Test } from 'tap'
import { Random } from '../support/random.js'
import { MemoryLog } from './memory-log.js'
import { MemoryObjects } from './memory-objects.js'
import { Nodes } from './nodes.js'

t.setTimeout(900_000)

const seed = Number(process.env['COFFER_TEST_SEED'] ?? Date.now() % 1e6)
t.comment(`COFFER_TEST_SEED=${seed}`)
const rounds = process.env['COFFER_TEST_LONG'] === '1' ? 600 : 60

async function nothingIsLost(t: Test, nodes: Nodes): Promise<void> {
  await nodes.start(3, 4)
  await nodes.run(rounds)
  t.same(await nodes.wrong(), [])
  t.same(await nodes.differences(), [])
  t.ok(nodes.told > rounds)
  t.comment(`${JSON.stringify(Object.fromEntries(nodes.answers))}, ${nodes.told} told`)
  t.comment(nodes.trouble.slice(0, 5).join('\n'))
}

t.test('nodes that take accounts from each other', async t => {
  const shared = {
    log: new MemoryLog(),
    objects: new MemoryObjects(),
    snapshotBytes: 1e9,
    subjectOf: (id: string) => id
  }
  await nothingIsLost(t, new Nodes(t, shared, new Random(seed)))
})
