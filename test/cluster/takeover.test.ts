/** Takeovers at any time, whatever happens to files: everything acknowledged is there, and nothing that was refused. */
import t, { type Test } from 'tap'
import { Random } from '../support/random.js'
import { rotate } from '../support/rotation.js'
import { MemoryLog } from './memory-log.js'
import { MemoryObjects } from './memory-objects.js'
import { Nodes } from './nodes.js'

t.setTimeout(900_000)

const seed = Number(process.env['COFFER_TEST_SEED'] ?? Date.now() % 1e6)
t.comment(`COFFER_TEST_SEED=${seed}`)
const rounds = process.env['COFFER_TEST_LONG'] === '1' ? 600 : 10

async function nothingIsLost(t: Test, nodes: Nodes): Promise<void> {
  await nodes.start(3, 4)
  await nodes.run(rounds)
  t.same(await nodes.wrong(), [])
  t.same(await nodes.differences(), [])
  t.ok(nodes.told > rounds)
  t.comment(`${JSON.stringify(Object.fromEntries(nodes.answers))}, ${nodes.told} told`)
  t.comment(nodes.trouble.slice(0, 5).join('\n'))
}

async function unreliably(t: Test): Promise<void> {
  const random = new Random(seed + 1)
  const fates = ['lost', 'unanswered', 'late'] as const
  // Records are so small that long commits are split.
  const log = new MemoryLog(100_000, () => (random.chance(0.05) ? random.pick(fates) : 'well'))
  const objects = new MemoryObjects(() => random.chance(0.05))
  const nodes = new Nodes(
    t,
    { log, objects, snapshotBytes: 50_000, getSubject: id => id },
    new Random(seed + 2)
  )
  await nothingIsLost(t, nodes)
  t.comment(objects.keys.join(', '))
  t.ok(objects.keys.length > 0, 'snapshots have been made')
  t.ok(objects.keys.length < 12, 'those that have been replaced are removed')
}

async function reliably(t: Test): Promise<void> {
  const shared = {
    log: new MemoryLog(),
    objects: new MemoryObjects(),
    snapshotBytes: 1e9,
    getSubject: (id: string) => id
  }
  await nothingIsLost(t, new Nodes(t, shared, new Random(seed)))
}

const engines: [string, (t: Test) => Promise<void>][] = [
  ['an unreliable engine, and constant snapshots', unreliably],
  ['a reliable engine', reliably]
]
for (const [what, test] of rotate(t, engines))
  t.test(`nodes that take accounts over from each other, with ${what}`, test)
