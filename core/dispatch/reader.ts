/**
 * Who reads a long answer. It is asked for again before each page: by then its access may have ended, and what it may see
 * may have become less. Every page of every answer gets its reader here.
 */
import { authenticate } from '../auth/authenticate.js'
import { Caller } from '../permissions/caller.js'
import { unknownUser } from '../unknown-user.js'
import type { Credentials } from '../call/credentials.js'
import type { Services } from '../call/services.js'
import type { Reader } from '../call/reader.js'
import type { Account } from '../../storage/platform/account.js'

/** The reading of one answer. */
export class Reading {
  /** Whether the call that is answered has ended its own access. */
  #hasEndedItself = false

  constructor(
    private readonly core: Services,
    private readonly account: Account,
    private readonly credentials: Credentials,
    /** Whether the call is one that takes an access. */
    private readonly needsAccess: boolean
  ) {}

  /** The reader as things stand. Raises what a call with the same credentials would meet now; it counts as none. */
  current(): Reader {
    const { account, core, credentials } = this
    const { accounts } = core
    if (accounts.find(account.username)?.id !== account.id) unknownUser(accounts, account.username)
    const store = accounts.store(account)
    const caller = this.needsAccess
      ? store.read(() => authenticate(core, account, store, credentials, core.clock.now(), false))
      : new Caller(store, undefined)
    return { store, caller }
  }

  /** Raises what {@link current} does, before more is sent of a text that is there already. */
  check(): void {
    if (!this.#hasEndedItself) this.current()
  }

  /** Lets whoever ends its own access, with what it has just written, read what it is told about that. */
  written(): void {
    try {
      this.current()
    } catch {
      this.#hasEndedItself = true
    }
  }
}
