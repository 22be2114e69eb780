/** The weekly letter of one account. Cached while the file is open: it is asked for after many changes. */
import type { StoredLetter } from '../../schemas/plans/letter.js'
import type { SignInRepository } from '../repositories/sign-in.js'

const stateName = 'letter'

export class LetterRepository {
  #cached: { readonly letter: StoredLetter | undefined } | undefined

  constructor(private readonly signIn: SignInRepository) {}

  /** Returns the letter; `undefined` if the user has never turned it on. */
  find(): StoredLetter | undefined {
    this.#cached ??= { letter: this.signIn.getState(stateName) as StoredLetter | undefined }
    return this.#cached.letter
  }

  /** Stores the letter, in place of the former one. */
  put(letter: StoredLetter): void {
    this.signIn.setState(stateName, letter)
    this.#cached = { letter }
  }

  /** Drops the cache: it may hold what was rolled back. */
  invalidate(): void {
    this.#cached = undefined
  }
}
