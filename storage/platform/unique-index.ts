/**
 * The platform's index of unique values, from the view of one account. Two files cannot share a transaction: before the
 * account's file is written, values to be added or removed are marked as in doubt, which keeps them from other accounts.
 * Once the write is on disk or rolled back, the account's file settles them; after a crash in between, the next start does.
 */
import type { PlatformStore } from './platform-store.js'
import { uniqueKey, type UniqueValue } from '../repositories/account-fields.js'

/** The part of the index that an account's store uses. */
export type UniqueValues = Pick<UniqueIndex, 'isInDoubt' | 'claim' | 'release' | 'settle'>

export class UniqueIndex {
  #isInDoubt = false

  constructor(
    private readonly platform: PlatformStore,
    private readonly account: string,
    private readonly onTrouble: (error: unknown) => void
  ) {}

  /** Whether the index may differ from the account's file. */
  get isInDoubt(): boolean {
    return this.#isInDoubt
  }

  /** Reserves a value for the account. Returns `false` if another has it. Throws if the platform file cannot be written. */
  claim(field: string, value: unknown): boolean {
    const isOurs = this.platform.reserveUnique(this.account, field, uniqueKey(field, value))
    if (isOurs) this.#isInDoubt = true
    return isOurs
  }

  /** Marks a value that is about to be released. Throws if the platform file cannot be written. */
  release(field: string, value: unknown): void {
    this.platform.reserveUnique(this.account, field, uniqueKey(field, value))
    this.#isInDoubt = true
  }

  /** Keeps the values that the file holds and releases the rest. If that fails, they stay in doubt until the next attempt. */
  settle(held: readonly UniqueValue[]): void {
    try {
      this.platform.settleUnique(this.account, held)
      this.#isInDoubt = false
    } catch (error) {
      this.onTrouble(error)
    }
  }
}
