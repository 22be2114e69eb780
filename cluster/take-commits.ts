/** Divides commits among records: as many as fit into one record, or part of a longer commit. */
import type { Position } from '../storage/wal/position.js'
import type { Commit, PageChange } from './commit.js'
import { getChangeBytes, maxBodyBytes, type LogRecord } from './records.js'

/** Space for a record's header and a commit besides its changes, in bytes: more than enough. */
const overheadBytes = 4096

/**
 * Takes what fits into the next record from a queue that is not empty. `maxBytes`: maximum size of a record;
 * `before`: the last complete commit. A commit that is too large for a record is divided: then `isContinued`
 * is true, and the rest stays in the queue.
 */
export function takeCommits(
  queue: Commit[],
  maxBytes: number,
  before: Position
): Pick<LogRecord, 'commits' | 'isContinued' | 'position'> {
  const room = Math.min(maxBodyBytes, maxBytes) - overheadBytes
  const commits: Commit[] = []
  let position = before
  let size = 0
  for (;;) {
    const commit = queue[0]
    if (!commit) break
    const { fitting: count, length } = measureFitting(commit.changes, room - size)
    if (count < commit.changes.length) {
      // Only a commit that is alone in its record is divided.
      if (commits.length > 0) break
      queue[0] = { ...commit, changes: commit.changes.slice(count) }
      commits.push({ ...commit, changes: commit.changes.slice(0, count) })
      return { commits, position, isContinued: true }
    }
    queue.shift()
    commits.push(commit)
    position = { lsn: commit.lsn, epoch: commit.epoch }
    size += length + overheadBytes / 64
  }
  return { commits, position, isContinued: false }
}

/** Returns how many changes fit (at least one), and their length. */
function measureFitting(changes: readonly PageChange[], room: number): { fitting: number; length: number } {
  let length = 0
  let count = 0
  for (const change of changes) {
    if (count > 0 && length + getChangeBytes(change) > room) break
    length += getChangeBytes(change)
    count++
  }
  return { fitting: count, length }
}
