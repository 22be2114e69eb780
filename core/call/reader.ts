/** Who reads an answer, and whether what was worked out for one reader is good for another. */
import type { StreamRepository } from '../../storage/repositories/streams.js'
import type { UserStore } from '../../storage/user/user-store.js'
import type { Access } from '../../schemas/access.js'
import { Caller } from '../permissions/caller.js'

/** Who reads, and the user's file as it is open now. Good until the next `await`. */
export interface Reader {
  readonly store: UserStore
  readonly caller: Caller
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
