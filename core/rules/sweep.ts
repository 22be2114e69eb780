/** When the rules of accounts are evaluated: at once, but after that only so often that it takes a small part of the time. (docs/api/rules.md#firing) */
import type { ChangedAccount } from '../changes.js'

/** Milliseconds between two visits of an account: well below the second within which rules fire. */
const minPauseMs = 100
const maxPauseMs = 800
/** The pause after a visit, as a multiple of the time that it took. */
const pauseFactor = 20

interface Entry {
  readonly account: ChangedAccount
  /** Whether it is to be visited. */
  isAsked: boolean
  /** Set during the pause after a visit. */
  timer: NodeJS.Timeout | undefined
}

/** Decides when an account with changes is visited. */
export class Sweep {
  /** Accounts that are to be visited, or were a moment ago. */
  readonly #entries = new Map<string, Entry>()
  #isClosed = false

  /** `visit`: must not throw. */
  constructor(private readonly visit: (account: ChangedAccount) => void) {}

  /** Has an account visited: in the next turn of the event loop, or after the pause that follows a visit. */
  add(account: ChangedAccount): void {
    let entry = this.#entries.get(account.id)
    if (!entry) this.#entries.set(account.id, (entry = { account, isAsked: false, timer: undefined }))
    if (entry.isAsked) return
    entry.isAsked = true
    if (!entry.timer) setImmediate(() => this.#run(entry))
  }

  /** Visits all accounts that are to be visited, without waiting for the end of a pause. */
  catchUp(): void {
    for (const entry of this.#entries.values()) if (entry.isAsked) this.#run(entry)
  }

  /** Stops. Accounts that were added are no longer visited. */
  close(): void {
    this.#isClosed = true
    for (const { timer } of this.#entries.values()) clearTimeout(timer)
    this.#entries.clear()
  }

  /** Visits an account that has been asked for, then pauses in proportion to the duration of the visit. */
  #run(entry: Entry): void {
    if (this.#isClosed) return
    clearTimeout(entry.timer)
    entry.timer = undefined
    if (!entry.isAsked) {
      this.#entries.delete(entry.account.id)
      return
    }
    entry.isAsked = false
    const start = performance.now()
    this.visit(entry.account)
    const pauseMs = Math.min(maxPauseMs, Math.max(minPauseMs, (performance.now() - start) * pauseFactor))
    // A real one: how often work is done depends on how long it takes, not on the clock.
    entry.timer = setTimeout(() => this.#run(entry), pauseMs).unref()
  }
}
