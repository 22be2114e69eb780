/**
 * Produces the rest of a long result after its first page, text by text as the client reads, each in the reader's turn. Permission is
 * checked again before each text.
 */
import type { Spool, Spools } from '../../storage/files/spool.js'
import type { MemberWriter } from './result-writer.js'
import type { ReadAuthorization } from './read-authorization.js'
import type { Reader } from '../call/reader.js'
import type { Party } from '../../storage/scheduler.js'
import { nextTurn } from '../../storage/steps.js'
import { TextSource, type TextChunk, type ChunkResult, type TextResult } from '../call/text-source.js'

/** Approximate number of characters per text. */
export const targetTextLength = 64 * 1024
/** Size, in characters, from which text that cannot be divided into pages is spooled to disk. */
export const maxTextInMemory = 1024 * 1024
/** Time after which the work yields to the event loop even if it has produced little text, in milliseconds. */
const sliceMs = 5

/** Where texts are spooled; if `undefined`, they stay in memory, for readers that consume them immediately. */
export type SpoolTarget = Pick<Spools, 'open'> | undefined

/** The rest of a result. Reading throws the error of a new call if the access may not read on. */
export class Remainder extends TextSource {
  #isClosed = false

  readonly #writer: MemberWriter | undefined
  #spool: Spool | undefined

  /** Creates the remainder from the contents of `spool`, followed by the text of `writer`. */
  constructor(
    private readonly reading: ReadAuthorization,
    private readonly aside: SpoolTarget,
    { spool, writer }: { readonly spool?: Spool; readonly writer?: MemberWriter }
  ) {
    super()
    this.#spool = spool
    this.#writer = writer
    this.#spoolText()
  }

  async next(): Promise<TextResult> {
    const chunk = await this.#readNext(false)
    return chunk ? { done: false, value: chunk.text } : await this.return()
  }

  override async nextChunk(): Promise<ChunkResult> {
    const chunk = await this.#readNext(true)
    return chunk ? { done: false, value: chunk } : await this.return()
  }

  return(): Promise<IteratorReturnResult<void>> {
    this.#isClosed = true
    this.#close()
    return Promise.resolve({ done: true, value: undefined })
  }

  /** Returns the next text, which is not empty; `undefined` at the end. */
  async #readNext(takesBytes: boolean): Promise<TextChunk | undefined> {
    try {
      while (!this.#isClosed) {
        await nextTurn(this.reading.party)
        this.isAscii = false
        const chunk = (await this.#readSpool()) ?? (await this.#writeNext(takesBytes))
        if (!chunk) return undefined
        if (chunk.text !== '' || chunk.bytes) return chunk
      }
      return undefined
    } catch (error) {
      await this.return()
      throw error
    }
  }

  /** Returns the next text from the spool; `undefined` if there is none. */
  async #readSpool(): Promise<TextChunk | undefined> {
    if (this.#isClosed || !this.#spool || this.#mustSpool) return undefined
    this.reading.check()
    const text = await this.#spool.next()
    if (text !== '') return { text }
    this.#close()
    return undefined
  }

  /** Returns the next text of the writer, which may be empty; `undefined` at its end. */
  async #writeNext(takesBytes: boolean): Promise<TextChunk | undefined> {
    const writer = this.#writer
    if (this.#isClosed || !writer || writer.isTaken) return undefined
    const end = performance.now() + sliceMs
    const isShort = (): boolean =>
      !writer.isDone && !writer.isBlocked && (writer.size < targetTextLength || this.#mustSpool)
    if (isShort()) {
      const reader = { ...this.reading.getReader(), acceptsBytes: takesBytes }
      reader.store.read(() => {
        // Must run at least once: lists themselves check that the reader may still read what they have written before.
        do writer.write(reader)
        while (isShort() && !writer.isWaiting && performance.now() < end)
      })
      const gate = reader.store.waitUntilReadable()
      if (gate) await gate
      if (this.#isClosed) return undefined
    } else this.reading.check()
    this.#spoolText()
    if (this.#spool) return { text: '' }
    this.isAscii = writer.isAscii
    return { text: writer.takeChunk(), bytes: writer.takeBytes() }
  }

  /** Spools the text if it is long, so that a spool is never empty. Bytes after the text remain with the writer. */
  #spoolText(): void {
    const length = this.#writer?.size ?? 0
    if (!this.#writer || !this.aside || length === 0 || (length <= maxTextInMemory && !this.#mustSpool))
      return
    this.#spool ??= this.aside.open()
    this.#spool.add(this.#writer.takeAll())
  }

  /** True if the list holds a large value, which must be spooled completely. */
  get #mustSpool(): boolean {
    return this.aside !== undefined && this.#writer?.holdsLargeValue === true
  }

  #close(): void {
    if (this.#isClosed) this.#writer?.close()
    this.#spool?.close()
    this.#spool = undefined
  }
}

/** Spools the complete text of a writer, so that the result of a write is returned as of that time. */
export async function spoolResult(
  spools: Pick<Spools, 'open'>,
  writer: MemberWriter,
  reader: Reader,
  party: Party
): Promise<Spool> {
  const spool = spools.open()
  try {
    for (;;) {
      writer.write(reader)
      spool.add(writer.takeAll())
      if (writer.isDone) return spool
      await nextTurn(party)
    }
  } catch (error) {
    spool.close()
    throw error
  }
}
