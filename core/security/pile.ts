/** The bytes held by the bodies of one account, address or token, and which body proceeds when there is no room. */
import type { Ticket } from './ticket.js'

/** Bodies of one account or address, or of one token of an account. */
export class Pile {
  bytes = 0
  /** Those of them that belong to bodies being processed. */
  working = 0
  readonly parts = new Map<string, Pile>()
  /** Bodies that are being read, oldest first. */
  readonly reading = new Set<Ticket>()
  /** The one body that proceeds although there is no room. It keeps that right until it ends: otherwise nothing would be bounded. */
  favoured: Ticket | undefined

  get isEmpty(): boolean {
    return this.bytes === 0 && this.reading.size === 0
  }

  part(name: string): Pile {
    let part = this.parts.get(name)
    if (!part) this.parts.set(name, (part = new Pile()))
    return part
  }

  add(bytes: number, working = 0): void {
    this.bytes += bytes
    this.working += working
  }

  /** Whether a body may proceed within `maxBytes`. Beyond that only the favoured one may, unless bodies being processed take
   * all of it: these end by themselves, whereas those being read might wait for each other. */
  hasRoom(maxBytes: number, ticket: Ticket): boolean {
    return this.bytes < maxBytes || (this.working < maxBytes && this.#favour() === ticket)
  }

  end(ticket: Ticket): void {
    this.reading.delete(ticket)
    if (this.favoured === ticket) this.favoured = undefined
  }

  /** Picks from the part that holds least, so that many bodies of one do not delay that of another. */
  #favour(): Ticket | undefined {
    let least = Infinity
    if (this.favoured) return this.favoured
    for (const [, part] of this.parts)
      if (part.reading.size > 0 && part.bytes < least) {
        least = part.bytes
        this.favoured = part.#favour()
      }
    return (this.favoured ??= first(this.reading))
  }
}

function first<T>(items: ReadonlySet<T>): T | undefined {
  for (const item of items) return item
  return undefined
}
