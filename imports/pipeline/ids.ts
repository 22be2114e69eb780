/** Ids of what is brought in: the same for the same record each time, and not to be guessed without the account's key. */
import { createHmac } from 'node:crypto'

const base36 = '0123456789abcdefghijklmnopqrstuvwxyz'

/** Makes ids of texts. (docs/decisions/0019-imports.md) */
export class Ids {
  readonly #key: Buffer

  constructor(key: string) {
    this.#key = Buffer.from(key, 'hex')
  }

  of(...parts: readonly (string | number | undefined)[]): string {
    const digest = createHmac('sha256', this.#key).update(JSON.stringify(parts)).digest()
    let id = 'c'
    for (let at = 0; at < 24; at++) id += base36[digest[at]! % 36]!
    return id
  }
}
