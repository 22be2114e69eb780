/** How many calls there were of each method, how they ended and how long they took: numbers in arrays, until somebody asks. */

/** Upper ends of the ranges of durations, in seconds. */
export const durationBounds = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10
] as const

/** The label of methods that do not exist: names that clients make up are no labels. */
export const unknownMethod = 'unknown'

/** What is known of one method. */
export interface MethodStatistics {
  readonly method: string
  /** Calls by the first digit of their status. */
  readonly byStatus: number[]
  /** Calls by duration: those of each range, and beyond the last. */
  readonly byDuration: number[]
  /** Sum of all durations. */
  seconds: number
}

export class CallStatistics {
  readonly #methods = new Map<string, MethodStatistics>()
  readonly #unknown = empty(unknownMethod)

  constructor(methods: readonly string[]) {
    for (const method of methods) this.#methods.set(method, empty(method))
  }

  /** Counts a call; answers the name under which it was counted. */
  record(method: string, status: number, durationMs: number): string {
    const statistics = this.#methods.get(method) ?? this.#unknown
    const seconds = durationMs / 1000
    let range = 0
    while (range < durationBounds.length && seconds > durationBounds[range]!) range++
    statistics.byStatus[Math.floor(status / 100)]!++
    statistics.byDuration[range]!++
    statistics.seconds += seconds
    return statistics.method
  }

  /** Methods that have been called. */
  called(): MethodStatistics[] {
    return [...this.#methods.values(), this.#unknown].filter(({ byDuration }) =>
      byDuration.some(count => count > 0)
    )
  }
}

function empty(method: string): MethodStatistics {
  return {
    method,
    byStatus: Array.from({ length: 6 }, () => 0),
    byDuration: Array.from({ length: durationBounds.length + 1 }, () => 0),
    seconds: 0
  }
}
