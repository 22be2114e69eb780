/** The reader of a response, and the detection of changes to the reader's access or streams. */
import type { StreamRepository } from '../../storage/repositories/streams.js'
import type { UserStore } from '../../storage/user/user-store.js'
import type { Access } from '../../schemas/access.js'
import { Caller } from '../permissions/caller.js'

/** The caller that reads, and the user's open store. Valid until the next `await`. */
export interface Reader {
  readonly store: UserStore
  readonly caller: Caller
  /** Set if pages may be returned as the stored bytes. */
  readonly acceptsBytes?: boolean
}

/** Detects whether a value computed for one reader is valid for another: the access and the tree of streams must be the same. */
export class ReaderVersion {
  #access: Access | undefined
  #streams: StreamRepository
  #version: number

  constructor({ caller, store }: Reader) {
    this.#access = caller.access
    this.#streams = store.streams
    this.#version = store.streams.version
  }

  /** Returns true if the reader differs from that of the last call. */
  hasChanged({ caller, store: { streams } }: Reader): boolean {
    const isSame =
      this.#access === caller.access && this.#streams === streams && this.#version === streams.version
    this.#access = caller.access
    this.#streams = streams
    this.#version = streams.version
    return !isSame
  }
}
