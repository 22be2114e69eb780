/** A record on its way, when whoever is asked about it knows less than its writer does. */
import t from 'tap'
import { appendUntilConfirmed } from '../../cluster/append-until-confirmed.js'
import { Conflict, EngineUnavailable, type Entry } from '../../cluster/engine.js'
import { MemoryLog } from './memory-log.js'

const subject = 'coffer.wal.00.one'

/** Records of three words. */
const [first, second, third] = ['first', 'second', 'third'].map(text => Buffer.from(text)) as [
  Buffer,
  Buffer,
  Buffer
]

// What is appended waits without keeping a process.
const awake = setInterval(() => {}, 1000)
t.teardown(() => clearInterval(awake))

/** A log that a server leads for a time who has only its first record: it refuses what comes behind another one. */
class LogWithOldLeader extends MemoryLog {
  /** Calls that the old leader still answers. */
  left = 2

  override async append(name: string, expected: number, bytes: Uint8Array): Promise<number> {
    if (this.left-- > 0) throw new EngineUnavailable()
    return await super.append(name, expected, bytes)
  }

  override async last(name: string): Promise<Entry | undefined> {
    const last = await super.last(name)
    return this.left-- > 0 ? this.entries(name)[0] : last
  }
}

t.test('an older end of the log than the one that is known says nothing', async t => {
  const log = new LogWithOldLeader()
  log.left = 0
  const one = await log.append(subject, 0, first)
  const two = await log.append(subject, one, second)
  log.left = 2
  const appended = await appendUntilConfirmed({ log, subject, expected: two, bytes: third, isCancelled: () => false })
  t.equal(log.entries(subject).at(-1)!.sequence, appended)
  t.equal(log.entries(subject).length, 3)
})

t.test('a later one says that another process writes', async t => {
  const log = new LogWithOldLeader()
  log.left = 0
  const one = await log.append(subject, 0, first)
  await log.append(subject, one, second)
  const appending = appendUntilConfirmed({ log, subject, expected: one, bytes: third, isCancelled: () => false })
  await t.rejects(appending, Conflict)
})
