/**
 * Assembles long results that must be complete before they are sent: one per account, and a few of those with much text at a
 * time. The first page of a result is in memory before its turn comes, so the size of waiting pages is limited.
 * (docs/spec/limits.md#answers)
 */
import { ApiError } from '../errors.js'
import { FairScheduler } from '../security/fair-scheduler.js'
import type { Party } from '../../storage/scheduler.js'

/** Length from which a text takes one of a few places, in characters. A short one may take long: a chart of decades. */
const longText = 1024 * 1024
/** Maximum number of long results assembled at a time. */
const maxConcurrent = 4
/** Calls on an account wait while its first pages use a quarter of the total. Calls that have begun before may use up to a half. */
const waitingShare = 4
const maxShare = 2
/** `Retry-After` of refused calls, in seconds. */
const retryAfterSeconds = 5

interface WaitingPages {
  length: number
  /** Resolves the calls that wait until there is room for their results. */
  readonly waiting: (() => void)[]
}

/** Gives turns to the results that are assembled, and limits their first pages. */
export class ResponseAssembly {
  /** Turns of the results of an account, of which there is one at a time. */
  readonly #turns = new FairScheduler(Infinity)
  readonly #places = new FairScheduler(maxConcurrent)
  readonly #byAccount = new Map<string, WaitingPages>()
  #totalLength = 0

  /** `max`: maximum length of all waiting first pages, in characters. */
  constructor(private readonly max: number) {}

  /** Returns a promise that a call on an account must wait for; `undefined` if there is room for its result. */
  waitForRoom(account: string): Promise<void> | undefined {
    const waitingPages = this.#byAccount.get(account)
    if (!waitingPages || waitingPages.length < this.max / waitingShare) return undefined
    return new Promise(resolve => waitingPages.waiting.push(resolve))
  }

  /** Returns true if a first page of this length (characters) may wait: always if no other page waits. */
  hasRoom(account: string, length: number): boolean {
    const ownLength = this.#byAccount.get(account)?.length ?? 0
    return (
      this.#totalLength === 0 ||
      (ownLength + length <= this.max / maxShare && this.#totalLength + length <= this.max)
    )
  }

  /**
   * Assembles a result when it is the party's turn. `length`: characters of the first page. `read` reads on until the text has more
   * than so many characters, and resolves with false then, or with true at the end.
   */
  async run(party: Party, length: number, read: (longest: number) => Promise<boolean>): Promise<void> {
    this.#changeLength(party.account, length)
    await this.#turns.run(party, async () => {
      const isLong = length > longText
      if (!isLong) {
        this.#changeLength(party.account, -length)
        if (await read(longText)) return
      }
      await this.#places.run(party, async () => {
        if (isLong) this.#changeLength(party.account, -length)
        await read(Infinity)
      })
    })
  }

  /** Adds a length to the pages that wait for an account; a negative one lets waiting calls go on. */
  #changeLength(account: string, length: number): void {
    this.#totalLength += length
    const waitingPages = this.#byAccount.get(account) ?? { length: 0, waiting: [] }
    this.#byAccount.set(account, waitingPages)
    waitingPages.length += length
    if (waitingPages.length >= this.max / waitingShare) return
    // Each call checks again; those without room wait again in this order.
    for (const resolve of waitingPages.waiting.splice(0)) resolve()
    if (waitingPages.length === 0) this.#byAccount.delete(account)
  }
}

/** Creates the error for a read whose result cannot wait. */
export function createTooManyPendingError(): ApiError {
  return new ApiError('api-unavailable', 'Too many large results are pending. Try again later', {
    retryAfter: retryAfterSeconds
  })
}
