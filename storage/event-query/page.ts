/** What a query answers at a time: a page, and the steps that it is made in. */

export interface EventPage {
  /** JSON texts of events, joined by commas. */
  readonly text: string
  readonly count: number
  readonly done: boolean
  /** By how much the text's bytes outnumber its characters, where that is known. */
  readonly excess: number | undefined
}

export interface Step {
  readonly text: string
  readonly count: number
  readonly excess?: number | undefined
  readonly examined: number
  /** Whether the page has to end here: what comes next does not fit. */
  readonly isFull?: boolean
}

/** The sum of what is known of both; `undefined` if one is not. */
export function addIfKnown(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? undefined : a + b
}
