/** Counts calls per method, with their outcome and duration, in plain arrays that the metrics read on demand. */
import { durationBounds, LatencyHistogram } from './latency-histogram.js'

/**
 * The label of methods that do not exist. Names invented by clients must not become labels: there is no limit to
 * them.
 */
const unknownMethod = 'unknown'

/** The figures of one method. */
interface MethodStatistics {
  readonly method: string
  /** Calls by the first digit of their status. */
  readonly byStatus: number[]
  /** Number of calls per histogram bucket; the last bucket counts durations above all bounds. */
  readonly byDuration: number[]
  /** Sum of all durations. */
  seconds: number
}

export class CallStatistics {
  /** Counts the same calls by the minute in which they ended. */
  readonly minutes = new LatencyHistogram()
  readonly #methods = new Map<string, MethodStatistics>()
  readonly #unknown = createStatistics(unknownMethod)

  constructor(methods: readonly string[]) {
    for (const method of methods) this.#methods.set(method, createStatistics(method))
  }

  /**
   * Counts a call; returns the name under which it was counted. Methods that do not exist are counted
   * together, under one name.
   */
  record(method: string, status: number, durationMs: number): string {
    const statistics = this.#methods.get(method) ?? this.#unknown
    const seconds = durationMs / 1000
    let bucket = 0
    while (bucket < durationBounds.length && seconds > durationBounds[bucket]!) bucket++
    statistics.byStatus[Math.floor(status / 100)]!++
    statistics.byDuration[bucket]!++
    statistics.seconds += seconds
    this.minutes.record(performance.timeOrigin + performance.now(), status, bucket)
    return statistics.method
  }

  /** Returns the figures of all methods that have been called. */
  listCalled(): MethodStatistics[] {
    return [...this.#methods.values(), this.#unknown].filter(({ byDuration }) =>
      byDuration.some(count => count > 0)
    )
  }
}

function createStatistics(method: string): MethodStatistics {
  return {
    method,
    byStatus: Array.from({ length: 6 }, () => 0),
    byDuration: Array.from({ length: durationBounds.length + 1 }, () => 0),
    seconds: 0
  }
}
