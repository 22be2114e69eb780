/** Detects that the current driver finds little, so that a narrower one may be faster. */
import type { Key } from './position.js'
import type { SearchResult } from './search.js'

/** Number of rows examined before the driver is reconsidered. */
export const probedRows = 250

/** The range that was probed. */
export interface ProbeResult {
  /** Where the probe began; absent: at the beginning of the segment. */
  readonly from: Key | undefined
  readonly examined: number
}

/** Notes how many of the examined rows match. */
export class DriverProbe {
  #from: Key | undefined
  #keys = 0
  #examined = 0

  /**
   * Records a step that began after a key. Once enough rows have been examined and few of them matched, returns what
   * was examined.
   */
  record(from: Key | undefined, { examined, keys }: SearchResult): ProbeResult | undefined {
    if (this.#examined === 0) this.#from = from
    this.#keys += keys.length
    this.#examined += examined
    // A step may examine few rows, such as those of events in thousands of streams.
    if (this.#examined < probedRows) return undefined
    const result = { from: this.#from, examined: this.#examined }
    const isLittle = this.#keys * 10 < this.#examined
    this.reset()
    return isLittle ? result : undefined
  }

  /** Resets the probe: what follows is elsewhere. */
  reset(): void {
    this.#keys = this.#examined = 0
  }
}
