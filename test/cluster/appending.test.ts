/** Appends of records whose result is unknown, with an engine that knows less than the writer. */
import t from 'tap'
import { appendUntilConfirmed } from '../../cluster/append-until-confirmed.js'
import { Conflict, EngineUnavailable, type Entry } from '../../cluster/engine.js'
import { MemoryLog } from './memory-log.js'

const subject = 'coffer.wal.00.one'

/** Three one-word records. */
const [first, second, third] = ['first', 'second', 'third'].map(text => Buffer.from(text)) as [
  Buffer,
  Buffer,
  Buffer
]

// A pending append does not keep the process alive.
const awake = setInterval(() => {}, 1000)
t.teardown(() => clearInterval(awake))

/** A log whose temporary leader has only the first record: it refuses records that follow another one. */
class LogWithOldLeader extends MemoryLog {
  /** Calls that the old leader still handles. */
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

t.test('appendUntilConfirmed ignores an end of the log older than the expected one', async t => {
  const log = new LogWithOldLeader()
  log.left = 0
  const one = await log.append(subject, 0, first)
  const two = await log.append(subject, one, second)
  log.left = 2
  const appended = await appendUntilConfirmed({
    log,
    subject,
    expected: two,
    bytes: third,
    isCancelled: () => false
  })
  t.equal(log.entries(subject).at(-1)!.sequence, appended)
  t.equal(log.entries(subject).length, 3)
})

t.test('appendUntilConfirmed reports a conflict for a later end, which another process wrote', async t => {
  const log = new LogWithOldLeader()
  log.left = 0
  const one = await log.append(subject, 0, first)
  await log.append(subject, one, second)
  const appending = appendUntilConfirmed({
    log,
    subject,
    expected: one,
    bytes: third,
    isCancelled: () => false
  })
  await t.rejects(appending, Conflict)
})
