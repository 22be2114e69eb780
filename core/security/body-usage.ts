/** The bytes held by the bodies of one account, address or token, and which body proceeds when there is no room. */
import type { BodyReservation } from './body-reservation.js'

/** Bodies of one account or address, or of one token of an account. */
export class BodyUsage {
  bytes = 0
  /** Those of them that belong to bodies being processed. */
  workingBytes = 0
  readonly parts = new Map<string, BodyUsage>()
  /** Bodies that are being read, oldest first. */
  readonly reading = new Set<BodyReservation>()
  /** The one body that proceeds although there is no room. It keeps that right until it ends: otherwise nothing would be bounded. */
  favored: BodyReservation | undefined

  get isEmpty(): boolean {
    return this.bytes === 0 && this.reading.size === 0
  }

  getPart(name: string): BodyUsage {
    let getPart = this.parts.get(name)
    if (!getPart) this.parts.set(name, (getPart = new BodyUsage()))
    return getPart
  }

  add(bytes: number, workingBytes = 0): void {
    this.bytes += bytes
    this.workingBytes += workingBytes
  }

  /** Whether a body may proceed within `maxBytes`. Beyond that only the favoured one may, unless bodies being processed take
   * all of it: these end by themselves, whereas those being read might wait for each other. */
  mayProceed(maxBytes: number, ticket: BodyReservation): boolean {
    return this.bytes < maxBytes || (this.workingBytes < maxBytes && this.#chooseFavored() === ticket)
  }

  remove(ticket: BodyReservation): void {
    this.reading.delete(ticket)
    if (this.favored === ticket) this.favored = undefined
  }

  /** Picks from the part that holds least, so that many bodies of one do not delay that of another. */
  #chooseFavored(): BodyReservation | undefined {
    let least = Infinity
    if (this.favored) return this.favored
    for (const [, getPart] of this.parts)
      if (getPart.reading.size > 0 && getPart.bytes < least) {
        least = getPart.bytes
        this.favored = getPart.#chooseFavored()
      }
    return (this.favored ??= first(this.reading))
  }
}

function first<T>(items: ReadonlySet<T>): T | undefined {
  for (const item of items) return item
  return undefined
}
