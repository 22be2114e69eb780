/** Which streams events are looked for in. (docs/spec/streams-queries.md#forms) */

/** An event meets it if it is in one of `any`, in each of `all`, and in none of `not`. `id!` stands for a stream alone. */
export interface StreamsCriteria {
  readonly any: readonly string[]
  readonly all?: readonly string[]
  readonly not?: readonly string[]
}

/** Ids of streams, each with all below it; or criteria, of which one has to be met. */
export type StreamsQuery = readonly string[] | StreamsCriteria | readonly StreamsCriteria[] | null | undefined
