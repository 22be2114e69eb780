/** Times of modification: no two of an account are the same, and each is later than those before it. */
import type { EventRepository } from '../repositories/events.js'

/** Smallest step between two of them, seconds: what a double still tells apart, and JSON keeps. */
const tick = 1e-6

export class Stamps {
  #last: number | undefined

  /** `now`, or a microsecond after the last one; `events`: where the last one of earlier times is found. */
  next(now: number, events: Pick<EventRepository, 'lastModified'>): number {
    this.#last ??= events.lastModified() ?? 0
    this.#last = now > this.#last ? now : Math.round((this.#last + tick) * 1e6) / 1e6
    return this.#last
  }
}
