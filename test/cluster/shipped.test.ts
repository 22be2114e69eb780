/**
 * A copy that follows an account's log equals the account's file byte for byte after every stop, whatever is done to
 * accounts. Deliberately faulty captures show that the test would detect differences.
 */
import t, { type Test } from 'tap'
import type { Changes } from '../../cluster/commit.js'
import { FrameReader, type LogProgress } from '../../cluster/frames.js'
import type { Outbox } from '../../cluster/outbox.js'
import { ShippedFile } from '../../cluster/shipped-file.js'
import { ShippedLogs } from '../../cluster/shipped-log.js'
import type { FoundLog } from '../../storage/wal/durability.js'
import type { OpenedFile } from '../../storage/wal/position.js'
import { Random } from '../support/random.js'
import { MemoryLog } from './memory-log.js'
import { World } from './world.js'
import { inRotation, rotate } from '../support/rotation.js'

t.setTimeout(900_000)

const seed = Number(process.env['COFFER_TEST_SEED'] ?? Date.now() % 1e6)
t.comment(`COFFER_TEST_SEED=${seed}`)
const [stops, calls] = process.env['COFFER_TEST_LONG'] === '1' ? [20, 500] : [2, 50]

async function sameAfterEachStop(t: Test, world: World): Promise<void> {
  for (let stop = 1; stop <= stops; stop++) {
    await world.run(calls)
    t.same(world.differences(), [], `stop ${stop}`)
  }
  t.same(world.trouble, [])
  t.same(world.failures, [])
  t.comment(`${world.accounts} accounts, ${world.applied} records`)
}

t.test('copies equal their files', async t => {
  const random = new Random(seed)
  await sameAfterEachStop(t, new World(t, new MemoryLog(), random))
})

const rarely = inRotation(t, 2)

void rarely('a log that is restarted while its file is open is followed', async t => {
  const world = new World(t, new MemoryLog(), new Random(seed))
  await world.run(20, 60)
  t.same(world.differences(), [])
  t.same(world.trouble, [])
})

/** Skips a page of some commits. */
class Skipping extends ShippedFile {
  override readChanges(): Changes | undefined {
    const changes = super.readChanges()
    return changes && changes.changes.length > 4
      ? { ...changes, changes: changes.changes.slice(0, -1) }
      : changes
  }
}

/** Does not notice that a log was restarted. */
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

/** Captures a commit only before the next one. */
class Late extends ShippedFile {
  override begin(): void {
    super.capture()
    super.begin()
  }

  override capture(): void {}
}

const faulty = [
  ['skips a frame', Skipping],
  ['merges two generations of a log', MergingLog],
  ['comes too late', Late]
] as const
for (const [name, Faulty] of rotate(t, faulty))
  t.test(`a capture that ${name} is detected`, async t => {
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

void rarely('copies equal their files, however unreliable the log is', async t => {
  const random = new Random(seed)
  const fates = ['lost', 'unanswered', 'late'] as const
  // Records are so small that long commits are split.
  const log = new MemoryLog(100_000, () => (random.chance(0.1) ? random.pick(fates) : 'well'))
  await sameAfterEachStop(t, new World(t, log, random))
})
