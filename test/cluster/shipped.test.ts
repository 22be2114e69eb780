/**
 * Whatever is done to accounts, a copy that follows their log is, after every stop, byte for byte what their file is. That
 * this would notice if changes were taken wrongly is shown by taking them wrongly.
 */
import t, { type Test } from 'tap'
import type { Changes } from '../../cluster/commit.js'
import { FrameReader, type LogProgress } from '../../cluster/frames.js'
import type { Outbox } from '../../cluster/outbox.js'
import { ShippedFile } from '../../cluster/shipped-file.js'
import { ShippedLogs } from '../../cluster/shipped-log.js'
import type { FoundLog } from '../../storage/wal/durability.js'
import type { OpenedFile } from '../../storage/wal/opened-file.js'
import { Random } from '../support/random.js'
import { MemoryLog } from './memory-log.js'
import { World } from './world.js'

t.setTimeout(900_000)

const seed = Number(process.env['COFFER_TEST_SEED'] ?? Date.now() % 1e6)
t.comment(`COFFER_TEST_SEED=${seed}`)
const [stops, calls] = process.env['COFFER_TEST_LONG'] === '1' ? [20, 500] : [3, 60]

async function sameAfterEachStop(t: Test, world: World): Promise<void> {
  for (let stop = 1; stop <= stops; stop++) {
    await world.run(calls)
    t.same(world.differences(), [], `stop ${stop}`)
  }
  t.same(world.trouble, [])
  t.same(world.failures, [])
  t.comment(`${world.accounts} accounts, ${world.applied} records`)
}

t.test('copies are what the files are', async t => {
  const random = new Random(seed)
  await sameAfterEachStop(t, new World(t, new MemoryLog(), random))
})

t.test('a log that is begun anew while its file is open is followed', async t => {
  const world = new World(t, new MemoryLog(), new Random(seed))
  await world.run(20, 60)
  t.same(world.differences(), [])
  t.same(world.trouble, [])
})

/** Leaves out a page of some commits. */
class Skipping extends ShippedFile {
  override readChanges(): Changes | undefined {
    const changes = super.readChanges()
    return changes && changes.changes.length > 4
      ? { ...changes, changes: changes.changes.slice(0, -1) }
      : changes
  }
}

/** Does not notice that a log was begun anew. */
class Merging extends FrameReader {
  protected override isRestarted(): boolean {
    return this.progress.salts === ''
  }
}

class MergingLog extends ShippedFile {
  protected override createReader(opened: OpenedFile, taken: LogProgress | undefined): FrameReader {
    return new Merging(opened.file, () => opened.lastFrame(), taken)
  }
}

/** Takes a commit before the next one only. */
class Late extends ShippedFile {
  override begin(): void {
    super.capture()
    super.begin()
  }

  override capture(): void {}
}

for (const [name, Faulty] of [
  ['skips a frame', Skipping],
  ['merges two generations of a log', MergingLog],
  ['comes too late', Late]
] as const)
  t.test(`a capture that ${name} is found out`, async t => {
    class FaultyLogs extends ShippedLogs {
      protected override createFile(opened: OpenedFile, found: FoundLog, outbox: Outbox): ShippedFile {
        return new Faulty(opened, found, outbox)
      }
    }
    const world = new World(t, new MemoryLog(), new Random(seed), options => new FaultyLogs(options))
    await world.run(20, 60)
    const found = [...world.differences(), ...world.trouble]
    t.not(found.length, 0)
    t.comment(found[0])
  })

t.test('copies are what the files are, however badly the log answers', async t => {
  const random = new Random(seed)
  const fates = ['lost', 'unanswered', 'late'] as const
  // So little fits into a record that long commits are divided.
  const log = new MemoryLog(100_000, () => (random.chance(0.1) ? random.pick(fates) : 'well'))
  await sameAfterEachStop(t, new World(t, log, random))
})
