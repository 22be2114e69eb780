/** The results of a batch as text, put aside as they come: however slowly a client takes them, the batch is made at once. */
import type { Spool, Spools } from '../../storage/files/spool.js'
import { success, type Success } from '../call/outcome.js'
import type { Reading } from './reader.js'
import { Remainder } from './remainder.js'

export class BatchResults {
  readonly #spool: Spool
  #count = 0

  constructor(spools: Pick<Spools, 'open'>) {
    this.#spool = spools.open()
    this.#spool.add('"results":[')
  }

  /** Number of characters of all. */
  get size(): number {
    return this.#spool.size
  }

  /** Begins the next result. */
  begin(): void {
    this.#spool.mark()
    if (this.#count++ > 0) this.#spool.add(',')
  }

  /** Adds a part of the result that was begun. */
  add(text: string): void {
    this.#spool.add(text)
  }

  /** Puts another text in the place of the result that was begun. */
  replace(text: string): void {
    this.#spool.undo()
    if (this.#count > 1) this.#spool.add(',')
    this.#spool.add(text)
  }

  /** The outcome of the batch. */
  async outcome(reading: Reading, accessId: string | undefined): Promise<Success> {
    this.#spool.add(']')
    if (this.#spool.isShort) return success(await this.#spool.next(), accessId)
    return { ...success('', accessId), remainder: new Remainder(reading, undefined, { spool: this.#spool }) }
  }

  /** Drops them. */
  close(): void {
    this.#spool.close()
  }
}
