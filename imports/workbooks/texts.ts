/**
 * Reads the texts of a workbook: joins their runs, and stores those to which cells refer by index as bytes outside of
 * the heap.
 */
import { getLocalName, type XmlHandler } from '../text/xml.js'

const chunkSize = 1024 * 1024
/** Limits of chunks and of texts. */
const maxChunks = 64
const maxTexts = 4_000_000
/** Maximum length of cached strings, in characters. */
const maxCachedLength = 1_000_000
/** Offsets that mark a text as too long, or beyond the limit. */
const [tooLong, beyondLimit] = [0xffff_ffff, 0xffff_fffe]

/** Collects shared texts from XML, and returns them by index. */
export class SharedTexts implements XmlHandler {
  readonly #chunks: Buffer[] = []
  /** Offset of the free space in the last chunk. */
  #usedBytes = chunkSize
  /** Offset and length in bytes of each text. */
  #offsets = new Uint32Array(2048)
  #count = 0
  #textParts: TextRuns | undefined
  #cache = new Map<number, string>()
  #cachedLength = 0

  /** True once the maximum number of texts is stored. */
  get isDone(): boolean {
    return this.#count === maxTexts
  }

  open(name: string): void {
    const local = getLocalName(name)
    if (local === 'si') this.#textParts = new TextRuns()
    else this.#textParts?.open(local)
  }

  close(name: string): void {
    const local = getLocalName(name)
    if (local !== 'si') this.#textParts?.close(local)
    else if (this.#textParts) {
      this.#add(this.#textParts)
      this.#textParts = undefined
    }
  }

  text(text: string): void {
    this.#textParts?.add(text)
  }

  /** Returns a text by its index, or the reason why there is none. */
  get(index: number): { readonly text: string } | 'too long' | 'beyond' | 'missing' {
    const recent = this.#cache.get(index)
    if (recent !== undefined) return { text: recent }
    if (!Number.isInteger(index) || index < 0) return 'missing'
    if (index >= this.#count) return this.isDone ? 'beyond' : 'missing'
    const [offset, length] = [this.#offsets[index * 2]!, this.#offsets[index * 2 + 1]!]
    if (offset === tooLong) return 'too long'
    if (offset === beyondLimit) return 'beyond'
    const start = offset % chunkSize
    const text = this.#chunks[Math.floor(offset / chunkSize)]!.toString('utf8', start, start + length)
    if ((this.#cachedLength += text.length) > maxCachedLength) {
      this.#cache = new Map()
      this.#cachedLength = text.length
    }
    this.#cache.set(index, text)
    return { text }
  }

  /** Stores a shared text. Of one that is too long, or beyond the limit, only that is noted. */
  #add({ isTooLong, text }: TextRuns): void {
    if (this.isDone) return
    const length = isTooLong ? 0 : Buffer.byteLength(text)
    const isFull = this.#usedBytes + length > chunkSize && this.#chunks.length === maxChunks
    const offset = isTooLong ? tooLong : isFull ? beyondLimit : this.#store(text, length)
    if (this.#count * 2 === this.#offsets.length) {
      const offsets = new Uint32Array(this.#offsets.length * 2)
      offsets.set(this.#offsets)
      this.#offsets = offsets
    }
    this.#offsets[this.#count * 2] = offset
    this.#offsets[this.#count * 2 + 1] = length
    this.#count++
  }

  /** Stores a text. Its length is limited to that of a record, which fits into a chunk. */
  #store(text: string, length: number): number {
    if (this.#chunks.length === 0 || this.#usedBytes + length > chunkSize) {
      this.#chunks.push(Buffer.allocUnsafe(chunkSize))
      this.#usedBytes = 0
    }
    const offset = this.#usedBytes
    this.#chunks.at(-1)!.write(text, offset, 'utf8')
    this.#usedBytes += length
    return (this.#chunks.length - 1) * chunkSize + offset
  }
}

/** Maximum length of a cell's text, in characters. */
const maxCellLength = 200_000

export class TextRuns {
  #text = ''
  #isInText = false
  #isTooLong = false
  /** True within a phonetic reading. */
  #isPhonetic = false

  /** Opens an element, by its name without prefix: `v` contains values, `t` texts. */
  open(name: string): void {
    if (name === 'rPh') this.#isPhonetic = true
    this.#isInText = (name === 't' || name === 'v') && !this.#isPhonetic
  }

  /** Closes an element; texts outside of `v` and `t` are ignored. */
  close(name: string): void {
    if (name === 'rPh') this.#isPhonetic = false
    this.#isInText = false
  }

  /** Adds text of the open element. A text that becomes too long is dropped as a whole. */
  add(text: string): void {
    if (!this.#isInText || this.#isTooLong) return
    this.#isTooLong = this.#text.length + text.length > maxCellLength
    this.#text = this.#isTooLong ? '' : this.#text + text
  }

  /** True if the text was longer than a cell may be; it is empty then. */
  get isTooLong(): boolean {
    return this.#isTooLong
  }

  /** The joined text. Characters that XML does not allow are written by number: `_x000D_`. */
  get text(): string {
    if (!this.#text.includes('_x')) return this.#text
    return this.#text.replaceAll(/_x([0-9a-f]{4})_/gi, (_whole, code: string) =>
      String.fromCharCode(Number.parseInt(code, 16))
    )
  }
}
