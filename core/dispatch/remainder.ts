/**
 * What comes after the first page of a long result: text by text as the client takes it, with others getting their turn in
 * between. Whether it may still have it is asked before each of them.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Spool, Spools } from '../../storage/files/spool.js'
import type { MemberWriter } from './result-writer.js'
import type { Reading } from './reader.js'
import type { Reader } from '../call/reader.js'
import { Texts, type Step } from '../call/texts.js'

/** Texts have about this many characters. */
export const restSize = 64 * 1024
/** Characters of what cannot be cut into pages, from which on it waits elsewhere than in memory. */
export const largest = 1024 * 1024
/** Time after which others get their turn even if there is little text yet, in milliseconds. */
const restMs = 5

/** Where texts are put aside; without it they wait in memory, for those who take them at once. */
export type Aside = Pick<Spools, 'open'> | undefined

export class Remainder extends Texts {
  #isOver = false

  readonly #writer: MemberWriter | undefined
  #spool: Spool | undefined

  /** What `spool` holds, then what `writer` writes. */
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
    try {
      while (!this.#isOver) {
        await nextTurn()
        const text = (await this.#aside()) ?? this.#written()
        if (text === undefined) break
        if (text !== '') return { done: false, value: text }
      }
    } catch (error) {
      await this.return()
      throw error
    }
    return await this.return()
  }

  return(): Promise<Step> {
    this.#isOver = true
    this.#close()
    return Promise.resolve({ done: true, value: undefined })
  }

  /** The next text that has been put aside; `undefined` if there is none. */
  async #aside(): Promise<string | undefined> {
    if (this.#isOver || !this.#spool) return undefined
    this.reading.check()
    const text = await this.#spool.next()
    if (text !== '') return text
    this.#close()
    return undefined
  }

  /** The next text of the list, which may be empty; `undefined` at its end. */
  #written(): string | undefined {
    const writer = this.#writer
    if (this.#isOver || !writer || writer.isTaken) return undefined
    const end = performance.now() + restMs
    const isShort = (): boolean => !writer.isDone && !writer.isCut && writer.size < restSize
    if (isShort()) {
      const reader = this.reading.current()
      reader.store.read(() => {
        while (isShort() && performance.now() < end) writer.write(reader)
      })
    } else this.reading.check()
    this.#putAside()
    return this.#spool ? '' : writer.takeSome()
  }

  #putAside(): void {
    if (!this.#writer || !this.aside || this.#writer.size <= largest) return
    this.#spool = this.aside.open()
    this.#spool.add(this.#writer.take())
  }

  #close(): void {
    this.#spool?.close()
    this.#spool = undefined
  }
}

/** Puts aside all that a writer writes: what has been done is told as it was then. */
export async function putAside(
  spools: Pick<Spools, 'open'>,
  writer: MemberWriter,
  reader: Reader
): Promise<Spool> {
  const spool = spools.open()
  try {
    for (;;) {
      writer.write(reader)
      spool.add(writer.take())
      if (writer.isDone) return spool
      await nextTurn()
    }
  } catch (error) {
    spool.close()
    throw error
  }
}
