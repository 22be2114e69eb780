/**
 * The platform's index of unique values, from the view of one account. Two files cannot share a transaction: before the
 * account's file is written, values to be added or removed are marked as in doubt, which reserves them. Once the write
 * is on disk or rolled back, the account's file settles them; after a crash in between, the next start or the next
 * opening of the file settles them. Marking may take a while in a cluster, and a transaction never waits. So a write
 * only records the values that it needs. If some of the values are not marked, the write is aborted by
 * {@link Unreserved}, and retried once they are marked.
 */
import { randomInt } from 'node:crypto'
import { Unreserved } from '../errors.js'
import { toUniqueKey, type UniqueValue } from '../repositories/account-fields.js'
import type { PlatformStore } from './platform-store.js'
import type { Reservation } from './unique-fields.js'

/** The part of the index that an account's store uses. */
export type UniqueValues = Pick<
  UniqueIndex,
  | 'begin'
  | 'claim'
  | 'listDue'
  | 'rollbackTo'
  | 'isInDoubt'
  | 'mark'
  | 'assertReserved'
  | 'release'
  | 'reserve'
  | 'settle'
>

/** Upper bound of tickets: numbers that both SQLite and JSON can represent. */
const tickets = 2 ** 47

/**
 * A value in doubt. Settlement compares object identity: a later write that needs the same value creates another object
 * for it.
 */
interface InDoubtValue extends Reservation {
  /** True if the value is certain to be marked. */
  readonly isMarked: boolean
}

/** The unique values of one account whose file is open. */
export class UniqueIndex {
  /** By value. */
  readonly #doubts = new Map<string, InDoubtValue>()
  /** The values that the running write needs, by key. */
  readonly #required = new Map<string, UniqueValue>()

  constructor(
    private readonly platform: PlatformStore,
    private readonly account: string,
    private readonly onError: (error: unknown) => void
  ) {
    for (const each of platform.listReservations(account))
      this.#doubts.set(toKey(each), { ...each, isMarked: false })
  }

  /** True if the index may differ from the account's file. */
  get isInDoubt(): boolean {
    return this.#doubts.size > 0
  }

  /** Must be called before each write. */
  begin(): void {
    if (this.#required.size > 0) this.#required.clear()
  }

  /** The number of values that the write needs so far, for {@link rollbackTo}. */
  get mark(): number {
    return this.#required.size
  }

  /** Discards the values needed by a part of the write that was rolled back: all since the mark. */
  rollbackTo(mark: number): void {
    if (this.#required.size <= mark) return
    for (const name of Array.from(this.#required.keys()).slice(mark)) this.#required.delete(name)
  }

  /** Claims a value for the account. Returns `false` if another account has it. Must run within a transaction. */
  claim(field: string, value: unknown): boolean {
    return this.#requireValue({ field, key: toUniqueKey(field, value) })
  }

  /** Records that a value is about to be released. Must run within a transaction. */
  release(field: string, value: unknown): void {
    // If another account has it, nothing is released.
    this.#requireValue({ field, key: toUniqueKey(field, value) })
  }

  /**
   * Throws {@link Unreserved} unless everything that the write needs is marked. Must be called before anything that
   * cannot be undone.
   */
  assertReserved(): void {
    if (this.#required.size === 0) return
    const doubts = Array.from(this.#required.keys(), name => [name, this.#doubts.get(name)] as const)
    // Settlements that are already pending must not settle these values.
    for (const [name, value] of doubts)
      if (value?.isMarked) this.#doubts.set(name, { ...value })
      else this.#doubts.delete(name)
    if (doubts.some(([, value]) => !value?.isMarked))
      throw new Unreserved(Array.from(this.#required.values()))
  }

  /** Marks values as in doubt; values of other accounts are not changed. Rejects if the platform file cannot be changed. */
  async reserve(values: readonly UniqueValue[]): Promise<void> {
    const ticket = randomInt(1, tickets)
    const note = (isMarked: boolean, each: UniqueValue): void =>
      void this.#doubts.set(toKey(each), { ...each, ticket, isMarked })
    try {
      const taken = await this.platform.change('reserveUnique', this.account, values, ticket)
      const others = new Set(taken.map(toKey))
      for (const each of values) if (!others.has(toKey(each))) note(true, each)
    } catch (error) {
      // The values may have been marked, or will be: the next settlement settles them.
      for (const each of values) note(false, each)
      throw error
    }
  }

  /** Lists the values that can be settled once everything written so far is on disk. */
  listDue(): readonly InDoubtValue[] {
    return Array.from(this.#doubts.values())
  }

  /**
   * Keeps the values that the file holds, and releases the others, without waiting for it. If that fails, the
   * error is reported, and they stay in doubt until the next attempt.
   */
  settle(due: readonly InDoubtValue[], held: readonly UniqueValue[]): void {
    const own = new Set(held.map(toKey))
    const current = due.filter(each => this.#doubts.get(toKey(each)) === each)
    if (current.length === 0) return
    for (const each of current) this.#doubts.delete(toKey(each))
    const reservations = current.map(({ field, key, ticket }) => ({ field, key, ticket }))
    const kept = reservations.filter(each => own.has(toKey(each)))
    const dropped = reservations.filter(each => !own.has(toKey(each)))
    this.platform.change('settleUnique', this.account, kept, dropped).catch(error => {
      for (const each of current)
        if (!this.#doubts.has(toKey(each))) this.#doubts.set(toKey(each), { ...each, isMarked: false })
      this.onError(error)
    })
  }

  /** Returns whether no other account has a value, and records that the write needs it. */
  #requireValue(value: UniqueValue): boolean {
    if ((this.platform.findHolder(value) ?? this.account) !== this.account) return false
    this.#required.set(toKey(value), value)
    return true
  }
}

function toKey({ field, key }: UniqueValue): string {
  return `${field}\n${key}`
}
