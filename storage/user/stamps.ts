/** Modification times, strictly increasing within an account. */
import type { EventRepository } from '../repositories/events.js'

/** Smallest step between two of them, in seconds: a double and its JSON text can represent it. */
const tick = 1e-6

export class Stamps {
  #last: number | undefined

  /** Returns `now`, or a microsecond after the last one if that is later. `events` gives the last one when the file is opened. */
  next(now: number, events: Pick<EventRepository, 'getLastModified'>): number {
    this.#last ??= events.getLastModified() ?? 0
    this.#last = now > this.#last ? now : Math.round((this.#last + tick) * 1e6) / 1e6
    return this.#last
  }
}
