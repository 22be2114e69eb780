/** Counts the calls of the last day by minute, in memory, for the operator's page. */

/** Upper bounds of the histogram buckets, in seconds. */
export const durationBounds = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10
] as const

/** Maximum number of minutes that are stored. */
const maxMinutes = 1440
/** Columns of a row: the minute, failed calls, refused calls, then calls by duration. */
const headColumns = 3
const rowWidth = headColumns + durationBounds.length + 1

/** One minute in which there were calls. */
interface Minute {
  /** The time at which the minute begins, in seconds. */
  readonly time: number
  readonly calls: number
  /** Number of calls refused with a status below 500, and number of calls that failed. */
  readonly refused: number
  readonly failed: number
  /** Latency percentiles in seconds, as upper bounds of histogram buckets; `null` beyond the last bound. */
  readonly median: number | null
  readonly p95: number | null
}

export class LatencyHistogram {
  readonly #table = new Uint32Array(maxMinutes * rowWidth)

  /** Counts a call that ended at a time (ms since 1970). `bucket`: the index of its duration's bound in {@link durationBounds}, their number beyond the last. */
  record(endedMs: number, status: number, bucket: number): void {
    const minute = Math.floor(endedMs / 60_000)
    const row = (minute % maxMinutes) * rowWidth
    if (this.#table[row] !== minute) {
      this.#table.fill(0, row, row + rowWidth)
      this.#table[row] = minute
    }
    if (status >= 500) this.#table[row + 1]!++
    else if (status >= 400) this.#table[row + 2]!++
    this.#table[row + headColumns + bucket]!++
  }

  /** Returns the minutes of the last day that had calls, oldest first. */
  list(nowMs: number): Minute[] {
    const now = Math.floor(nowMs / 60_000)
    const minutes: Minute[] = []
    for (let minute = now - maxMinutes + 1; minute <= now; minute++) {
      const row = (minute % maxMinutes) * rowWidth
      if (this.#table[row] !== minute) continue
      const durations = this.#table.subarray(row + headColumns, row + rowWidth)
      const calls = durations.reduce((sum, count) => sum + count, 0)
      minutes.push({
        time: minute * 60,
        calls,
        failed: this.#table[row + 1]!,
        refused: this.#table[row + 2]!,
        median: findBound(durations, calls * 0.5),
        p95: findBound(durations, calls * 0.95)
      })
    }
    return minutes
  }
}

/** Returns the upper bound of the bucket that contains the `wanted`-th call; `null` beyond the last bound. */
function findBound(durations: Uint32Array, wanted: number): number | null {
  let count = 0
  for (const [index, bound] of durationBounds.entries()) {
    count += durations[index]!
    if (count >= wanted) return bound
  }
  return null
}
