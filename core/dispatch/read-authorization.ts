/**
 * Authorizes the reader of a long response. The caller is authenticated again before each page, since its access may have ended or its
 * permissions may have changed. Pages get their reader only from here.
 */
import { authenticate } from '../auth/authenticate.js'
import { Caller } from '../permissions/caller.js'
import { CopiesInUse } from '../permissions/kept-copies.js'
import { refuseUnknownUser } from '../unknown-user.js'
import type { Credentials } from '../call/credentials.js'
import type { Services } from '../call/services.js'
import type { Reader } from '../call/reader.js'
import type { Party } from '../../storage/scheduler.js'
import type { Account } from '../../storage/platform/account.js'

/** What is known of the call of a response. */
export interface ReadFacts {
  /** See `AuditScope`. */
  readonly copies?: readonly string[] | undefined
  readonly isWritten?: boolean
}

/** Authorizes the pages of one response. */
export class ReadAuthorization {
  /** True if the call has ended its own access. */
  #hasEndedOwnAccess = false
  readonly #copies = new CopiesInUse()

  constructor(
    private readonly services: Services,
    private readonly account: Account,
    private readonly credentials: Credentials,
    /** Id of the calling access; `undefined` if the method requires no access. */
    private readonly accessId: string | undefined,
    copies?: readonly string[]
  ) {
    this.noteCopies(copies)
  }

  /** Returns the party by which the response is scheduled. */
  get party(): Party {
    return { account: this.account.id, access: this.accessId ?? '' }
  }

  /**
   * Returns the current reader. Errors: the errors of a call with the same credentials, and `unknown-referenced-resource` if a copy has
   * been erased that the response has read. This does not count as a call.
   */
  getReader(): Reader {
    const { account, services, credentials } = this
    const { accounts } = services
    if (accounts.find(account.username)?.id !== account.id) refuseUnknownUser(accounts, account.username)
    const store = accounts.openStore(account)
    if (this.accessId === undefined) return { store, caller: new Caller(store, undefined) }
    const now = services.clock.now()
    return store.read(() => {
      const caller = authenticate({ services, account, store, credentials, now, isUse: false })
      this.#copies.assertKept(store)
      return { store, caller }
    })
  }

  /** Notes copies of other accounts' data that the response has read: see `AuditScope`. */
  noteCopies(copies: readonly string[] | undefined): void {
    if (copies) this.#copies.add(this.services.accounts.openStore(this.account), copies)
  }

  /** Requires that more of a stored text may be sent. Errors: the errors of {@link getReader}. */
  check(): void {
    if (!this.#hasEndedOwnAccess) this.getReader()
  }

  /**
   * Notes that the call has written. If the write ended the access that made it, the caller may still read the result.
   */
  noteWrite(): void {
    try {
      this.getReader()
    } catch {
      this.#hasEndedOwnAccess = true
    }
  }
}
