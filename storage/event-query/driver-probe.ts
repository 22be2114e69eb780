/** Whether the way that a query has taken leads to little, and something narrower may lead there sooner. */
import type { Key } from './position.js'
import type { SearchResult } from './search.js'

/** Rows that are looked at as long as it is open whether this is the best way. */
export const probedRows = 250

/** What has been tried. */
export interface ProbeResult {
  /** Where it began; absent: where the segment does. */
  readonly from: Key | undefined
  readonly examined: number
}

export class DriverProbe {
  #from: Key | undefined
  #keys = 0
  #examined = 0

  /** Adds a step that began after a key. Answers what has been tried once that is enough to tell that little was found. */
  record(from: Key | undefined, { examined, keys }: SearchResult): ProbeResult | undefined {
    if (this.#examined === 0) this.#from = from
    this.#keys += keys.length
    this.#examined += examined
    // A step may look at few rows: those of events in thousands of streams.
    if (this.#examined < probedRows) return undefined
    const result = { from: this.#from, examined: this.#examined }
    const isLittle = this.#keys * 10 < this.#examined
    this.reset()
    return isLittle ? result : undefined
  }

  /** Forgets what has been tried: what follows is elsewhere. */
  reset(): void {
    this.#keys = this.#examined = 0
  }
}
