/** Imports that wait to be worked on. Accounts take turns, so that one with many imports does not hold up the others. */
import type { Account } from '../../storage/platform/account.js'

export interface QueuedImport {
  readonly account: Account
  readonly id: string
}

export class ImportQueue {
  /** By the id of their account; the account whose turn is next comes first. */
  readonly #byAccount = new Map<string, QueuedImport[]>()

  /** Returns all that wait, account by account. */
  list(): QueuedImport[] {
    return [...this.#byAccount.values()].flat()
  }

  has(id: string): boolean {
    return this.list().some(queued => queued.id === id)
  }

  hasAccount(accountId: string): boolean {
    return this.#byAccount.has(accountId)
  }

  /** Adds an import after the others of its account. An account of which none waits goes to the end. */
  add(queued: QueuedImport): void {
    const own = this.#byAccount.get(queued.account.id)
    if (own) own.push(queued)
    else this.#byAccount.set(queued.account.id, [queued])
  }

  remove({ account, id }: QueuedImport): void {
    const rest = (this.#byAccount.get(account.id) ?? []).filter(queued => queued.id !== id)
    if (rest.length > 0) this.#byAccount.set(account.id, rest)
    else this.#byAccount.delete(account.id)
  }

  /** Takes the next import of the first account that is not busy, which goes to the end. Returns `undefined` if all are busy. */
  takeNext(isBusy: (accountId: string) => boolean): QueuedImport | undefined {
    for (const [accountId, [next, ...rest]] of this.#byAccount) {
      if (isBusy(accountId)) continue
      this.#byAccount.delete(accountId)
      if (rest.length > 0) this.#byAccount.set(accountId, rest)
      return next
    }
    return undefined
  }

  /** Puts an account behind the others that wait: one of its imports has just ended. */
  endTurn(accountId: string): void {
    const own = this.#byAccount.get(accountId)
    if (!own) return
    this.#byAccount.delete(accountId)
    this.#byAccount.set(accountId, own)
  }

  clear(): void {
    this.#byAccount.clear()
  }
}
