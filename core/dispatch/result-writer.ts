/** Writes results as text, page by page, for responses that are too large for memory. */
import type { AuditScope } from '../../storage/audit/scope.js'
import {
  hasListing,
  isHighSurrogate,
  isListing,
  isTextListing,
  toText,
  type Listing
} from '../json/json-text.js'
import type { Result } from '../call/method.js'
import type { Reader } from '../call/reader.js'

/** Maximum number of characters per chunk, which takes about a millisecond to encode and send. */
const maxChunk = 1024 * 1024

/** Writes the members of a result as text, page by page. */
export class MemberWriter {
  readonly #entries: [string, unknown][] = []
  #list: Listing<unknown> | undefined
  #text = ''
  /** Bytes after the text. Nothing is written after them until both have been taken. */
  #bytes: Uint8Array | undefined
  #isFirstItem = true
  #isFirstMember = true
  /** True if the text ends before a list that is not the first member, and must be taken first. */
  #isBeforeList = false
  #isHolding = false
  /** True if the current list waits for others: nothing can be written in this turn of the event loop. */
  isWaiting = false
  /** Number of list items written so far. */
  itemCount = 0
  /** Number of UTF-8 bytes minus number of characters, of everything written so far. */
  extraBytes = 0
  /** The same of the text that has been taken. */
  #takenExtraBytes = 0

  /** `auditScope`: the scope of the read, in which items are counted. */
  constructor(
    result: Result,
    private readonly auditScope?: AuditScope
  ) {
    for (const name in result) {
      const value = (result as Record<string, unknown>)[name]
      if (value !== undefined) this.#entries.push([name, value])
    }
    if (auditScope) auditScope.isOpen = hasListing(result)
  }

  /** True if the whole result has been written, even if not all of it has been taken. */
  get isDone(): boolean {
    return this.#entries.length === 0 && !this.#list
  }

  /** True if everything has been written and taken. */
  get isTaken(): boolean {
    return this.isDone && this.#text === '' && !this.#bytes
  }

  /**
   * True if the text must be taken before more is written: because bytes follow it, or a list that is not the first member. Older
   * clients look for a second list only when another chunk arrives.
   */
  get isBlocked(): boolean {
    return this.#isBeforeList || this.#bytes !== undefined
  }

  /** True if the current list keeps a large value in memory until more has been written. */
  get holdsLargeValue(): boolean {
    return this.#isHolding
  }

  /** Number of characters that have been written and not been taken, without the bytes after them. */
  get size(): number {
    return this.#text.length
  }

  /** True if the text written and not taken is ASCII. */
  get isAscii(): boolean {
    return this.extraBytes === this.#takenExtraBytes
  }

  /** Writes up to the end of a page or of the result; nothing while {@link isBlocked}. */
  write(reader: Reader): void {
    while (!this.isDone && !this.isBlocked) {
      if (this.#list) {
        this.#writePage(this.#list, reader)
        if (this.#list) return
        continue
      }
      const [key, value] = this.#entries[0]!
      this.#isBeforeList = isListing(value) && !this.#isFirstMember && this.#text !== ''
      if (this.#isBeforeList) return
      this.#entries.shift()
      const isDocument = isListing(value) && isTextListing(value) && value.isDocument === true
      if (!isDocument) this.#text += `${this.#isFirstMember ? '' : ','}${JSON.stringify(key)}:`
      this.#isFirstMember = false
      if (isListing(value)) {
        this.#list = value
        this.#isFirstItem = true
        if (!isTextListing(value)) this.#text += '['
      } else this.#add(toText(value) ?? '')
    }
  }

  /** Returns text written since the last time, up to the maximum size of a chunk. */
  takeChunk(): string {
    if (this.#text.length <= maxChunk) return this.takeAll()
    const end = isHighSurrogate(this.#text.charCodeAt(maxChunk - 1)) ? maxChunk - 1 : maxChunk
    const text = this.#text.slice(0, end)
    this.#text = this.#text.slice(end)
    return text
  }

  /** Returns all text written since the last time. */
  takeAll(): string {
    const text = this.#text
    this.#text = ''
    this.#takenExtraBytes = this.extraBytes
    this.#isBeforeList = false
    return text
  }

  /** Returns the bytes after the text; `undefined` if there are none, or until all text has been taken. */
  takeBytes(): Uint8Array | undefined {
    if (this.#text !== '') return undefined
    const bytes = this.#bytes
    this.#bytes = undefined
    return bytes
  }

  /** Releases the resources of unfinished lists. */
  close(): void {
    this.#isHolding = false
    this.#list?.close?.()
    for (const [, value] of this.#entries) if (isListing(value)) value.close?.()
  }

  #add(text: string, extraBytes = Buffer.byteLength(text) - text.length): void {
    this.#text += text
    this.extraBytes += extraBytes
  }

  /** Writes the next page of a list, and ends the list with the last one. */
  #writePage(listing: Listing<unknown>, reader: Reader): void {
    const page = listing.next(reader)
    const { text, bytes, count, done, excess: extraBytes } = page
    this.#isHolding = page.holdsValue === true
    this.isWaiting = page.isWaiting === true
    const isText = isTextListing(listing)
    if (text !== '' || bytes) {
      if (!this.#isFirstItem && !isText) this.#text += ','
      this.#add(text, extraBytes)
      this.#bytes = bytes
      this.#isFirstItem = false
    }
    this.itemCount += count
    if (this.auditScope) this.auditScope.count = this.itemCount
    if (!done) return
    if (!isText) this.#text += ']'
    this.#list = undefined
    if (this.auditScope) this.auditScope.isOpen = this.#entries.length > 0
  }
}
