/**
 * The platform's index of unique values, as one account changes it. Before the account's file is written, values that come
 * or go are in doubt there: still nobody else's. Once the write is on disk, or undone, the file decides; so it does at a
 * start after a crash in between.
 */
import type { PlatformStore } from './platform-store.js'
import { uniqueKey, type UniqueValue } from '../repositories/account-fields.js'

/** What an account's store needs of it. */
export type UniqueValues = Pick<UniqueIndex, 'isInDoubt' | 'claim' | 'release' | 'settle'>

export class UniqueIndex {
  #isInDoubt = false

  constructor(
    private readonly platform: PlatformStore,
    private readonly account: string,
    private readonly onTrouble: (error: unknown) => void
  ) {}

  /** Whether values may differ from the file. */
  get isInDoubt(): boolean {
    return this.#isInDoubt
  }

  /** Reserves a value for the account; `false` if another has it. What cannot be written throws. */
  claim(field: string, value: unknown): boolean {
    const isOurs = this.platform.reserveUnique(this.account, field, uniqueKey(field, value))
    if (isOurs) this.#isInDoubt = true
    return isOurs
  }

  /** Says that a value may be free soon. What cannot be written throws. */
  release(field: string, value: unknown): void {
    this.platform.reserveUnique(this.account, field, uniqueKey(field, value))
    this.#isInDoubt = true
  }

  /** Ends all doubt: what the file holds stays, the rest is free. What cannot be written stays in doubt until later. */
  settle(held: readonly UniqueValue[]): void {
    try {
      this.platform.settleUnique(this.account, held)
      this.#isInDoubt = false
    } catch (error) {
      this.onTrouble(error)
    }
  }
}
