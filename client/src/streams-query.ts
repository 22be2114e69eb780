/** Selects streams in queries for events. (docs/spec/streams-queries.md#forms) */

/**
 * An event matches if it is in one of `any`, in each of `all`, and in none of `not`. `id!` means a stream without the
 * streams below it.
 */
export interface StreamsCriteria {
  readonly any: readonly string[]
  readonly all?: readonly string[]
  readonly not?: readonly string[]
}

/** Stream ids, each including all streams below it; or criteria, of which one must match. */
export type StreamsQuery = readonly string[] | StreamsCriteria | readonly StreamsCriteria[] | null | undefined
