/**
 * Shares the time of this thread's event loop: work in steps runs within a budget per turn of the loop, and accounts take
 * turns, within an account its accesses. (docs/architecture.md#where-long-work-takes-turns)
 */

/** The account and access on whose behalf work runs. */
export interface Party {
  readonly account: string
  /** Id of the access; empty for work of the account as a whole. */
  readonly access: string
}

/** The service itself, which takes turns like an account. */
export const serviceParty: Party = { account: '', access: '' }

/** A queue from which accounts take turns, and within an account its accesses. */
export class FairQueue<T> {
  /** Items by account and access; the next one to be served comes first. */
  readonly #accounts = new Map<string, Map<string, T[]>>()
  #size = 0

  /** Number of items. */
  get size(): number {
    return this.#size
  }

  /** Counts the items of an account, or of one of its accesses. */
  countItems(account: string, access?: string): number {
    const accesses = this.#accounts.get(account)
    if (access !== undefined) return accesses?.get(access)?.length ?? 0
    let size = 0
    for (const items of accesses?.values() ?? []) size += items.length
    return size
  }

  /** Adds an item behind the other items of the same party. */
  add(party: Party, item: T): void {
    this.#getItems(party).push(item)
    this.#size++
  }

  /** Adds an item before the other items of the same party. */
  addFirst(party: Party, item: T): void {
    this.#getItems(party).unshift(item)
    this.#size++
  }

  /** Takes the next item of the accounts that `mayTake` allows; `undefined` if there is no such item. */
  take(
    mayTake: (account: string, item: T) => boolean = () => true
  ): { account: string; item: T } | undefined {
    for (const [account, accesses] of this.#accounts) {
      const [[access, items]] = accesses as unknown as [[string, T[]]]
      if (!mayTake(account, items[0]!)) continue
      const item = items.shift()!
      // Behind the others.
      accesses.delete(access)
      if (items.length > 0) accesses.set(access, items)
      this.#accounts.delete(account)
      if (accesses.size > 0) this.#accounts.set(account, accesses)
      this.#size--
      return { account, item }
    }
    return undefined
  }

  /** Removes the items that match. */
  remove(matches: (item: T) => boolean): void {
    for (const [account, accesses] of this.#accounts) {
      for (const [access, items] of accesses) {
        const rest = items.filter(item => !matches(item))
        this.#size -= items.length - rest.length
        if (rest.length > 0) accesses.set(access, rest)
        else accesses.delete(access)
      }
      if (accesses.size === 0) this.#accounts.delete(account)
    }
  }

  /** Moves an account behind the others, for example because its work took long. */
  moveToEnd(account: string): void {
    const accesses = this.#accounts.get(account)
    if (!accesses) return
    this.#accounts.delete(account)
    this.#accounts.set(account, accesses)
  }

  /** Iterates over all items, account by account. */
  *[Symbol.iterator](): Generator<T, void> {
    for (const accesses of this.#accounts.values()) for (const items of accesses.values()) yield* items
  }

  #getItems({ access, account }: Party): T[] {
    let accesses = this.#accounts.get(account)
    if (!accesses) this.#accounts.set(account, (accesses = new Map()))
    let items = accesses.get(access)
    if (!items) accesses.set(access, (items = []))
    return items
  }
}

/** Runs work in turns. */
export class Scheduler {
  readonly #queue = new FairQueue<() => void>()
  /** Work added since the last turn: it waits for the next turn, so that input and output are processed in between. */
  #arrivals: { readonly party: Party; readonly run: () => void }[] = []
  #isArmed = false
  #isRunning = false
  /** End of the time for this turn of the event loop. */
  #endMs = 0

  /** `budgetMs`: time per turn of the event loop after which no further work begins, in milliseconds. */
  constructor(
    private readonly budgetMs: number,
    private readonly nowMs: () => number = () => performance.now()
  ) {}

  /**
   * Time left in this turn of the event loop for work that starts now, in milliseconds; 0 if there is none.
   * Reading it schedules the next turn, which gets its own time.
   */
  get leftMs(): number {
    this.#scheduleTurn()
    return Math.max(0, this.#endMs - this.nowMs())
  }

  /** Runs a slice of work in a later turn of the event loop. */
  add(party: Party, run: () => void): void {
    this.#arrivals.push({ party, run })
    this.#scheduleTurn()
  }

  /** Resolves in a later turn of the event loop, when it is the party's turn. */
  next(party: Party): Promise<void> {
    return new Promise(resolve => this.add(party, resolve))
  }

  /**
   * Returns a function that waits for each turn of one piece of work. It returns `undefined` if the work may begin at once,
   * without an `await`: the first time, while there is time left.
   */
  createTurns(party: Party): () => Promise<void> | undefined {
    let hasBegun = false
    return () => {
      const mayBegin = !hasBegun && this.leftMs > 0
      hasBegun = true
      return mayBegin ? undefined : this.next(party)
    }
  }

  #scheduleTurn(): void {
    if (this.#isArmed) return
    this.#isArmed = true
    if (!this.#isRunning) this.#endMs = this.nowMs() + this.budgetMs
    setImmediate(() => this.#runTurn())
  }

  #runTurn(): void {
    const arrivals = this.#arrivals
    this.#arrivals = []
    for (const { party, run } of arrivals) this.#queue.add(party, run)
    this.#isArmed = false
    this.#isRunning = true
    this.#endMs = this.nowMs() + this.budgetMs
    this.#runNext()
  }

  #runNext(): void {
    const next = this.nowMs() < this.#endMs ? this.#queue.take() : undefined
    if (!next) {
      if (this.#queue.size > 0) this.#scheduleTurn()
      this.#isRunning = false
      return
    }
    // The tick comes after all that continues once the item has resolved a promise.
    queueMicrotask(() => process.nextTick(() => this.#runNext()))
    next.item()
  }
}

/** Time for work in steps per turn of the event loop, in milliseconds. */
const budgetMs = 10

/** The scheduler of this thread, as there is one event loop. */
export const scheduler = new Scheduler(budgetMs)
