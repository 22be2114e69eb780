/** What has happened on a node since it started, in plain numbers that the metrics read on demand. */

/** Upper bounds of the ranges that durations are counted in, in seconds. */
export const durationBounds = [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30] as const

/** How often something was done, and how long it took. */
export class Durations {
  count = 0
  seconds = 0
  /** Numbers by range; the last one is of those beyond all bounds. */
  readonly byRange: number[] = Array.from({ length: durationBounds.length + 1 }, () => 0)

  /** Counts something that has taken so many milliseconds. */
  add(milliseconds: number): void {
    const seconds = milliseconds / 1000
    const range = durationBounds.findIndex(bound => seconds <= bound)
    this.count++
    this.seconds += seconds
    this.byRange[range < 0 ? durationBounds.length : range]!++
  }
}

export class Tally {
  /** Accounts that were taken over: claimed, and their files brought to where their logs end. */
  readonly takeovers = new Durations()
  /** Calls that other nodes were asked for. */
  readonly forwarded = new Durations()
  /** Shards that this node has begun to serve, and those that it has given to another node. */
  shardsTaken = 0
  shardsGiven = 0
  /** How often other nodes have declared this one dead. */
  livesLost = 0
  /** Accounts that another process has taken over while this one wrote them. */
  fenced = 0
  snapshots = 0
  snapshotFailures = 0
  /** When the last snapshot was made, seconds since the Unix epoch; 0: never. */
  lastSnapshot = 0
}
