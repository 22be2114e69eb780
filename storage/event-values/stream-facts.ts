/**
 * Caches how many events of each type each stream holds outside the trash, with the first and the last of them. Read
 * from the index of streams on first use, and updated by every write from then on: writes cost nothing for streams that
 * are not asked for.
 */
import { LaneFacts, type FactsSize, type LinkedEvent } from './lane-facts.js'

/** Maximum number of cached groups of all streams of a file; a stream counts like a group. */
const maxGroups = 20_000

/** The facts of streams, cached and kept up to date. */
export class StreamFacts {
  readonly #lanes = new Map<number, LaneFacts>()
  #size: FactsSize = { groups: 0 }

  /**
   * Returns the facts of a stream, which may be incomplete: without any if the stream is not cached yet. May
   * clear the cache if it is full. Valid until the next `await`.
   */
  get(stream: number): LaneFacts {
    let lane = this.#lanes.get(stream)
    if (!lane) {
      if (this.#size.groups >= maxGroups) this.invalidate()
      this.#lanes.set(stream, (lane = new LaneFacts(stream, this.#size)))
    }
    return lane
  }

  /** Records that an event was added to a stream. */
  add(stream: number, event: LinkedEvent): void {
    if (this.#lanes.size > 0) this.#lanes.get(stream)?.add(event)
  }

  /** Records that an event was removed from a stream. */
  remove(stream: number, event: LinkedEvent): void {
    if (this.#lanes.size > 0) this.#lanes.get(stream)?.remove(event)
  }

  /** Clears the cache: it may hold what was rolled back. */
  invalidate(): void {
    this.#lanes.clear()
    // Streams that were cached count in the former one.
    this.#size = { groups: 0 }
  }
}
