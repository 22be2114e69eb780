/** Counts the bytes of the forms that an account uploads at the same time: together they have to fit into its quota. */

/** Bytes of forms that are being received, or whose calls are running, by account. */
export class Forms {
  readonly #held = new Map<string, number>()

  /** Starts counting a form of an account. */
  begin(user: string): Holding {
    return new Holding(this.#held, user)
  }
}

/** The bytes of one form. */
export class Holding {
  #bytes = 0

  constructor(
    private readonly held: Map<string, number>,
    private readonly user: string
  ) {}

  /** Adds bytes; returns the total of the account. */
  add(bytes: number): number {
    this.#bytes += bytes
    const all = (this.held.get(this.user) ?? 0) + bytes
    this.held.set(this.user, all)
    return all
  }

  /** Releases all of its bytes. */
  leave(): void {
    if (this.add(-this.#bytes) === 0) this.held.delete(this.user)
  }
}
