/**
 * Ends the log of a deleted account. Its last record, a short one, is kept and marks the deletion: with an empty log, a
 * process that still has the file could begin it again.
 */
import { randomInt } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { Conflict, EngineUnavailable, type Log } from './engine.js'
import type { Objects } from './objects.js'
import { decode, encode, noBase } from './records.js'
import { attachmentKey } from './objects/attachment-key.js'
import { snapshotPrefix } from './objects/snapshot-key.js'

export interface RemovalOptions {
  readonly log: Log
  readonly objects: Objects
  readonly subject: string
  /** Time after which the engine is considered unavailable, in milliseconds. */
  readonly timeoutMs: number
}

/** Time between two attempts, in milliseconds. */
const pauseMs = 50

/** Removes everything that nodes share of an account. Idempotent. Rejects with `EngineUnavailable`. */
export async function removeShared(account: string, options: RemovalOptions): Promise<void> {
  const { log, objects, subject } = options
  const last = await endLog(options)
  if (last > 0) await log.trim(subject, last)
  for (const prefix of [snapshotPrefix(account), attachmentKey(account)])
    for (const key of await objects.list(prefix)) await objects.remove(key)
}

/**
 * Appends the record that marks the deletion, unless the log ends with it. Returns its sequence; 0 if the
 * account never had a log.
 */
async function endLog({ timeoutMs, log, subject }: RemovalOptions): Promise<number> {
  const endMs = performance.now() + timeoutMs
  for (;;) {
    try {
      const last = await log.last(subject)
      if (!last) return 0
      const { epoch, kind, position } = decode(last.bytes)
      if (kind === 'deleted') return last.sequence
      const bytes = await encode({
        kind: 'deleted',
        epoch: epoch + 1,
        position,
        previous: last.sequence,
        base: noBase,
        writer: randomInt(2 ** 32),
        commits: [],
        isContinued: false
      })
      return await log.append(subject, last.sequence, bytes)
    } catch (error) {
      if (!(error instanceof Conflict || error instanceof EngineUnavailable)) throw error
      if (performance.now() > endMs) throw new EngineUnavailable(error)
    }
    await wait(pauseMs, undefined, { ref: false })
  }
}
