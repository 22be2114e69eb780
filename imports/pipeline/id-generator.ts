/** Derives ids of imported data: stable for the same record, and not predictable without the account's key. */
import { createHmac } from 'node:crypto'

const base36 = '0123456789abcdefghijklmnopqrstuvwxyz'

/** Derives ids from texts. (docs/decisions/0019-imports.md) */
export class IdGenerator {
  readonly #key: Buffer

  constructor(key: string) {
    this.#key = Buffer.from(key, 'hex')
  }

  /** Returns an id of 25 characters: always the same for the same key and parts. */
  derive(...parts: readonly (string | number | undefined)[]): string {
    const digest = createHmac('sha256', this.#key).update(JSON.stringify(parts)).digest()
    let id = 'c'
    for (let index = 0; index < 24; index++) id += base36[digest[index]! % 36]!
    return id
  }
}
