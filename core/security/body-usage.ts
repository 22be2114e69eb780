/**
 * The bytes held by the bodies of one account, address or token, and which body proceeds when there is no more memory.
 */
import type { BodyReservation } from './body-reservation.js'

/** Bodies of one account or address, or of one token of an account. */
export class BodyUsage {
  bytes = 0
  /** Bytes of bodies being processed. */
  workingBytes = 0
  readonly parts = new Map<string, BodyUsage>()
  /** Bodies that are being read, oldest first. */
  readonly reading = new Set<BodyReservation>()
  /** The only body that proceeds above the limit, until it ends: if there were several, memory would not be bounded. */
  favored: BodyReservation | undefined

  /** Whether nothing is held or read, so that it can be forgotten. */
  get isEmpty(): boolean {
    return this.bytes === 0 && this.reading.size === 0
  }

  /** Returns the usage of one part of an account or address, such as a token. Creates it if needed. */
  ensurePart(name: string): BodyUsage {
    let part = this.parts.get(name)
    if (!part) this.parts.set(name, (part = new BodyUsage()))
    return part
  }

  /**
   * Adds bytes that are held, and those of them that belong to bodies being processed. Negative numbers release them.
   */
  add(bytes: number, workingBytes = 0): void {
    this.bytes += bytes
    this.workingBytes += workingBytes
  }

  /**
   * Returns whether a body may proceed within `maxBytes`. Beyond that only the favored body may, unless bodies being
   * processed use all of the memory: these end by themselves, whereas bodies being read might wait for each other.
   */
  mayProceed(maxBytes: number, ticket: BodyReservation): boolean {
    return this.bytes < maxBytes || (this.workingBytes < maxBytes && this.#chooseFavored() === ticket)
  }

  /** Removes a body from those being read. If it was the favored one, another one can be chosen. */
  remove(ticket: BodyReservation): void {
    this.reading.delete(ticket)
    if (this.favored === ticket) this.favored = undefined
  }

  /** Chooses a body of the part that uses least, so that many bodies of one part do not delay those of another. */
  #chooseFavored(): BodyReservation | undefined {
    let least = Infinity
    if (this.favored) return this.favored
    for (const [, part] of this.parts)
      if (part.reading.size > 0 && part.bytes < least) {
        least = part.bytes
        this.favored = part.#chooseFavored()
      }
    return (this.favored ??= getFirst(this.reading))
  }
}

function getFirst<T>(items: ReadonlySet<T>): T | undefined {
  for (const item of items) return item
  return undefined
}
