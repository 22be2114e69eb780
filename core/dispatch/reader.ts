/**
 * Who reads a long answer. It is asked for again before each page: by then its access may have ended, and what it may see
 * may have become less. Every page of every answer gets its reader here.
 */
import type { StreamRepository } from '../../storage/repositories/streams.js'
import type { Account } from '../../storage/platform/platform-store.js'
import type { UserStore } from '../../storage/user/user-store.js'
import type { Access } from '../../schemas/access.js'
import { authenticate } from '../auth/authenticate.js'
import { Caller } from '../permissions/caller.js'
import type { Core, Credentials } from '../call/method.js'
import { unknownUser } from '../platform/unknown-user.js'

/** Who reads, and the user's file as it is open now. Good until the next `await`. */
export interface Reader {
  readonly store: UserStore
  readonly caller: Caller
}

/** The reading of one answer. */
export class Reading {
  /** Whether the call that is answered has ended its own access. */
  #hasEndedItself = false

  constructor(
    private readonly core: Core,
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

/** Tells whether what was worked out for a reader is good for another: the same access on the same tree of streams. */
export class Footing {
  #access: Access | undefined
  #streams: StreamRepository
  #version: number

  constructor({ caller, store }: Reader) {
    this.#access = caller.access
    this.#streams = store.streams
    this.#version = store.streams.version
  }

  /** Whether it has changed since the last look. */
  hasChanged({ caller, store: { streams } }: Reader): boolean {
    const isSame =
      this.#access === caller.access && this.#streams === streams && this.#version === streams.version
    this.#access = caller.access
    this.#streams = streams
    this.#version = streams.version
    return !isSame
  }
}
