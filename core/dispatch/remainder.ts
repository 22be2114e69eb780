/**
 * The rest of a long result after its first page: produced text by text as the client reads, each when it is the
 * reader's turn. Permission is checked again before each text.
 */
import type { Spool, Spools } from '../../storage/files/spool.js'
import type { MemberWriter } from './result-writer.js'
import type { Reading } from './reader.js'
import type { Reader } from '../call/reader.js'
import type { Party } from '../../storage/scheduler.js'
import { nextTurn } from '../../storage/steps.js'
import { Texts, type Piece, type PieceStep, type Step } from '../call/texts.js'

/** Approximate number of characters per text. */
export const textSize = 64 * 1024
/** Size, in characters, from which text that cannot be divided into pages is spooled to disk. */
export const maxInMemory = 1024 * 1024
/** Time after which it yields to the event loop even with little text, in milliseconds. */
const turnMs = 5

/** Where texts are spooled; if `undefined`, they stay in memory, for readers that take them at once. */
export type Aside = Pick<Spools, 'open'> | undefined

export class Remainder extends Texts {
  #isOver = false

  readonly #writer: MemberWriter | undefined
  #spool: Spool | undefined

  /** Returns the contents of `spool`, followed by what `writer` writes. */
  constructor(
    private readonly reading: Reading,
    private readonly aside: Aside,
    { spool, writer }: { readonly spool?: Spool; readonly writer?: MemberWriter }
  ) {
    super()
    this.#spool = spool
    this.#writer = writer
    this.#putAside()
  }

  async next(): Promise<Step> {
    const piece = await this.#next(false)
    return piece ? { done: false, value: piece.text } : await this.return()
  }

  override async nextPiece(): Promise<PieceStep> {
    const piece = await this.#next(true)
    return piece ? { done: false, value: piece } : await this.return()
  }

  return(): Promise<IteratorReturnResult<void>> {
    this.#isOver = true
    this.#close()
    return Promise.resolve({ done: true, value: undefined })
  }

  /** Returns what comes next, which is not empty; `undefined` at the end. */
  async #next(takesBytes: boolean): Promise<Piece | undefined> {
    try {
      while (!this.#isOver) {
        await nextTurn(this.reading.party)
        this.isAscii = false
        const piece = (await this.#aside()) ?? (await this.#written(takesBytes))
        if (!piece) return undefined
        if (piece.text !== '' || piece.bytes) return piece
      }
      return undefined
    } catch (error) {
      await this.return()
      throw error
    }
  }

  /** Returns the next text from the spool; `undefined` if there is none. */
  async #aside(): Promise<Piece | undefined> {
    if (this.#isOver || !this.#spool || this.#isHolding) return undefined
    this.reading.check()
    const text = await this.#spool.next()
    if (text !== '') return { text }
    this.#close()
    return undefined
  }

  /** Returns the next part of the list, which may be empty; `undefined` at its end. */
  async #written(takesBytes: boolean): Promise<Piece | undefined> {
    const writer = this.#writer
    if (this.#isOver || !writer || writer.isTaken) return undefined
    const end = performance.now() + turnMs
    const isShort = (): boolean =>
      !writer.isDone && !writer.isCut && (writer.size < textSize || this.#isHolding)
    if (isShort()) {
      const reader = { ...this.reading.current(), takesBytes }
      reader.store.read(() => {
        // Once in any case: a list looks itself at who may still read what it has written before.
        do writer.write(reader)
        while (isShort() && performance.now() < end)
      })
      const gate = reader.store.waitUntilReadable()
      if (gate) await gate
    } else this.reading.check()
    this.#putAside()
    if (this.#spool) return { text: '' }
    this.isAscii = writer.isAscii
    return { text: writer.takeSome(), bytes: writer.takeBytes() }
  }

  #putAside(): void {
    if (!this.#writer || !this.aside || (this.#writer.size <= maxInMemory && !this.#isHolding)) return
    this.#spool ??= this.aside.open()
    this.#spool.add(this.#writer.take())
  }

  /** Whether all of a large value has to be spooled, however slowly the client takes it. */
  get #isHolding(): boolean {
    return this.aside !== undefined && this.#writer?.isHolding === true
  }

  #close(): void {
    if (this.#isOver) this.#writer?.close()
    this.#spool?.close()
    this.#spool = undefined
  }
}

/** Spools everything that a writer writes, so that the result of a write is returned as it was at that time. */
export async function putAside(
  spools: Pick<Spools, 'open'>,
  writer: MemberWriter,
  reader: Reader,
  party: Party
): Promise<Spool> {
  const spool = spools.open()
  try {
    for (;;) {
      writer.write(reader)
      spool.add(writer.take())
      if (writer.isDone) return spool
      await nextTurn(party)
    }
  } catch (error) {
    spool.close()
    throw error
  }
}
