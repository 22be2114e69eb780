/** How much of the points and files of a copy is read before others have their turn. */
import type { Clock } from '../time.js'

/** Number of requests of a contact, and its length in seconds. */
const maxRequests = 40
const maxSeconds = 30

/** Others have their turn. */
export class OutOfTurn extends Error {}

/** Counts the requests of one contact: 40, or 30 seconds. */
export class PartBudget {
  #requests = 0
  readonly #end: number

  constructor(
    private readonly clock: Clock,
    private readonly isStopped: () => boolean
  ) {
    this.#end = clock.now() + maxSeconds
  }

  /** Whether nothing has been read yet. */
  get isFresh(): boolean {
    return this.#requests === 0
  }

  /** Counts a request. Throws `OutOfTurn` if there may be no more. */
  spend(): void {
    if (this.#requests >= maxRequests || this.clock.now() > this.#end || this.isStopped())
      throw new OutOfTurn()
    this.#requests++
  }
}
