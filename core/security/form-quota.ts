/**
 * Counts the bytes of the forms that an account uploads at the same time: together the forms have to fit into the
 * account's quota.
 */

/** Tracks the bytes of forms that are being received, or whose calls are running, by account. */
export class FormQuota {
  readonly #bytesByAccount = new Map<string, number>()

  /** Starts counting a form of an account. */
  track(account: string): FormUsage {
    return new FormUsage(this.#bytesByAccount, account)
  }
}

/** The bytes of one form. */
export class FormUsage {
  #bytes = 0

  constructor(
    private readonly bytesByAccount: Map<string, number>,
    private readonly account: string
  ) {}

  /** Adds bytes; returns the total of the account. */
  add(bytes: number): number {
    this.#bytes += bytes
    const all = (this.bytesByAccount.get(this.account) ?? 0) + bytes
    this.bytesByAccount.set(this.account, all)
    return all
  }

  /** Releases all of its bytes. */
  release(): void {
    if (this.add(-this.#bytes) === 0) this.bytesByAccount.delete(this.account)
  }
}
