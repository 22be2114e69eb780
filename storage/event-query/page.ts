/** A page of a query's results, and the steps that build it. */

/** A page of a query's result. */
export interface EventPage {
  /** JSON texts of events, joined by commas. */
  readonly text: string
  readonly count: number
  readonly done: boolean
  /** How many bytes the text has beyond its number of characters, if known. */
  readonly excess: number | undefined
}

/** What one step of a query adds to its page. */
export interface Step {
  readonly text: string
  readonly count: number
  readonly excess?: number | undefined
  readonly examined: number
  /** True if the page has to end here because the next event does not fit. */
  readonly isFull?: boolean
}

/** Adds two numbers; `undefined` if one of them is `undefined`. */
export function addIfKnown(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? undefined : a + b
}
