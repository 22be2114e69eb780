/** Counts events on a node since it started, for the metrics. */

/** Upper bounds of the ranges of durations, in seconds. */
export const durationBounds = [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30] as const

/** Counts operations by duration. */
export class Durations {
  count = 0
  seconds = 0
  /** Counts by range; the last range is beyond all bounds. */
  readonly byRange: number[] = Array.from({ length: durationBounds.length + 1 }, () => 0)

  /** Counts an operation with a duration in milliseconds. */
  add(milliseconds: number): void {
    const seconds = milliseconds / 1000
    const range = durationBounds.findIndex(bound => seconds <= bound)
    this.count++
    this.seconds += seconds
    this.byRange[range < 0 ? durationBounds.length : range]!++
  }
}

export class Tally {
  /** Accounts that were taken over: claimed, and their files restored. */
  readonly takeovers = new Durations()
  /** Calls that were forwarded to other nodes. */
  readonly forwarded = new Durations()
  /** Shards that this node has taken, and those that it has given to other nodes. */
  shardsTaken = 0
  shardsGiven = 0
  /** How often other nodes have declared this node dead. */
  livesLost = 0
  /** Accounts that another process has taken over while this process wrote them. */
  fenced = 0
  snapshots = 0
  snapshotFailures = 0
  /** When the last snapshot was made, seconds since the Unix epoch; 0: never. */
  lastSnapshot = 0
}
