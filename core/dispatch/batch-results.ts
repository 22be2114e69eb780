/** Collects the results of a batch as text in a spool, so that a batch runs at full speed even if the client reads slowly. */
import type { Spool, Spools } from '../../storage/files/spool.js'
import { createSuccess, type Success } from '../call/outcome.js'
import type { Services } from '../call/services.js'
import { fail } from '../errors.js'
import type { Reader } from '../call/reader.js'
import type { MemberWriter } from './result-writer.js'
import type { ReadAuthorization } from './read-authorization.js'
import { Remainder } from './remainder.js'

type Limits = Pick<Services['config']['limits'], 'batchResultBytes' | 'batchResultItems'>

/** The results of one batch. */
export class BatchResults {
  readonly #spool: Spool
  #count = 0
  #error: unknown

  constructor(
    spools: Pick<Spools, 'open'>,
    private readonly limits: Limits
  ) {
    this.#spool = spools.open()
    this.#spool.add('"results":[')
  }

  /** The error that prevents results from being stored. */
  get error(): unknown {
    return this.#error
  }

  /** Starts the next result. */
  begin(): void {
    this.#spool.mark()
    if (this.#count++ > 0) this.#spool.add(',')
  }

  /** Requires that `size` further characters, and `items` list items of the current call, are within the limits. Error: `too-many-results`. */
  assertFits(size: number, items = 0): void {
    const { batchResultBytes, batchResultItems } = this.limits
    if (items > batchResultItems || this.#spool.size + size > batchResultBytes) fail('too-many-results')
  }

  /** Appends to the current result. */
  add(text: string): void {
    this.#spool.add(text)
  }

  /**
   * Appends a list chunk by chunk, each chunk in a turn of the access, and as the current reader (`getReader`) may see
   * it.
   */
  async addList(
    writer: MemberWriter,
    getReader: () => Reader,
    turn: () => Promise<void> | undefined
  ): Promise<void> {
    this.add('{')
    for (;;) {
      this.assertFits(writer.size, writer.itemCount)
      this.add(writer.takeAll())
      if (writer.isDone) return this.add('}')
      await turn()
      const reader = getReader()
      reader.store.read(() => writer.write(reader))
      await reader.store.waitUntilReadable()
    }
  }

  /** Replaces the current result. A failure is kept in {@link error}: the remaining calls are made even if results cannot be stored. */
  replace(text: string): void {
    try {
      this.#spool.undo()
      if (this.#count > 1) this.#spool.add(',')
      this.#spool.add(text)
    } catch (error) {
      this.#error = error
    }
  }

  /** Returns the outcome of the batch. */
  async createOutcome(reading: ReadAuthorization, accessId: string | undefined): Promise<Success> {
    this.#spool.add(']')
    if (this.#spool.isShort) return createSuccess(await this.#spool.next(), accessId)
    return {
      ...createSuccess('', accessId),
      remainder: new Remainder(reading, undefined, { spool: this.#spool })
    }
  }

  /** Discards the results. */
  close(): void {
    this.#spool.close()
  }
}
