/**
 * How many events of which type each stream holds outside of the trash, and which of them are the first and the last. It is
 * read off the index of streams when it is asked for, kept in memory, and kept up with every write from then on: a writer
 * pays for nothing that nobody asks for.
 */
import { LaneFacts, type LinkedEvent } from './lane-facts.js'

/** Groups of events that are remembered, of all streams of a file together. */
const maxGroups = 20_000

export class StreamFacts {
  readonly #lanes = new Map<number, LaneFacts>()

  /** What is known of a stream: maybe nothing yet, or not all. Good until the next `await`. */
  get(stream: number): LaneFacts {
    let lane = this.#lanes.get(stream)
    if (!lane) {
      if (this.#lanes.size % 100 === 0 && this.#countGroups() > maxGroups) this.#lanes.clear()
      this.#lanes.set(stream, (lane = new LaneFacts(stream)))
    }
    return lane
  }

  /** Drops what is known of a stream: it is read again. */
  discard(stream: number): void {
    this.#lanes.delete(stream)
  }

  /** An event has come into a stream. */
  add(stream: number, event: LinkedEvent): void {
    if (this.#lanes.size > 0) this.#lanes.get(stream)?.add(event)
  }

  /** An event has left a stream. */
  remove(stream: number, event: LinkedEvent): void {
    if (this.#lanes.size > 0 && this.#lanes.get(stream)?.remove(event) === false) this.#lanes.delete(stream)
  }

  /** Drops what is remembered: it may have been rolled back. */
  invalidate(): void {
    this.#lanes.clear()
  }

  #countGroups(): number {
    let size = 0
    for (const lane of this.#lanes.values()) size += 1 + lane.groups.size
    return size
  }
}
