/** Results as text, written a page at a time: for answers that would not fit in one piece. */
import { isHighSurrogate, isListing, isTextListing, toText, type Listing } from '../json/json-text.js'
import type { Result } from '../call/method.js'
import type { Reader } from '../call/reader.js'

/** Characters that are sent at once at most: to encode and send them takes about a millisecond. */
const sentAtOnce = 1024 * 1024

/** Writes a result's members as text, a page at a time. */
export class MemberWriter {
  readonly #entries: [string, unknown][] = []
  #open: Listing<unknown> | undefined
  #text = ''
  #isFirstItem = true
  #isFirstMember = true
  #isCut = false
  /** Items of lists written so far. */
  items = 0
  /** By how much the bytes of all that was written so far outnumber its characters. */
  excess = 0

  constructor(result: Result) {
    for (const name in result) {
      const value = (result as Record<string, unknown>)[name]
      if (value !== undefined) this.#entries.push([name, value])
    }
  }

  /** Whether all has been written; it may not have been taken yet. */
  get isDone(): boolean {
    return this.#entries.length === 0 && !this.#open
  }

  /** Whether all has been written and taken. */
  get isTaken(): boolean {
    return this.isDone && this.#text === ''
  }

  /**
   * Whether what is written is to be taken before more is: a list follows on what comes before it. Older clients look for a
   * second list only when another piece of the answer comes in.
   */
  get isCut(): boolean {
    return this.#isCut
  }

  /** Characters written and not taken yet. */
  get size(): number {
    return this.#text.length
  }

  /** Writes up to the end of one page of a list, or to the end; nothing where it {@link isCut}. */
  write(reader: Reader): void {
    while (!this.isDone && !this.#isCut) {
      if (this.#open) {
        this.#page(this.#open, reader)
        if (this.#open) return
        continue
      }
      const [key, value] = this.#entries[0]!
      this.#isCut = isListing(value) && !this.#isFirstMember && this.#text !== ''
      if (this.#isCut) return
      this.#entries.shift()
      this.#text += `${this.#isFirstMember ? '' : ','}${JSON.stringify(key)}:`
      this.#isFirstMember = false
      if (isListing(value)) {
        this.#open = value
        this.#isFirstItem = true
        if (!isTextListing(value)) this.#text += '['
      } else this.#add(toText(value) ?? '')
    }
  }

  /** The text written since the last time: as much of it as is good to send at once. */
  takeSome(): string {
    if (this.#text.length <= sentAtOnce) return this.take()
    const end = isHighSurrogate(this.#text.charCodeAt(sentAtOnce - 1)) ? sentAtOnce - 1 : sentAtOnce
    const text = this.#text.slice(0, end)
    this.#text = this.#text.slice(end)
    return text
  }

  /** All the text written since the last time. */
  take(): string {
    const text = this.#text
    this.#text = ''
    this.#isCut = false
    return text
  }

  #add(text: string, excess = Buffer.byteLength(text) - text.length): void {
    this.#text += text
    this.excess += excess
  }

  #page(listing: Listing<unknown>, reader: Reader): void {
    const { text, count, done, excess } = listing.next(reader)
    const isText = isTextListing(listing)
    if (text !== '') {
      if (!this.#isFirstItem && !isText) this.#text += ','
      this.#add(text, excess)
      this.#isFirstItem = false
    }
    this.items += count
    if (!done) return
    if (!isText) this.#text += ']'
    this.#open = undefined
  }
}
