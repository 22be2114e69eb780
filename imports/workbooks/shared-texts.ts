/** The texts of a workbook, to which its cells refer by number. They are kept as bytes, outside of the heap. */
import { TextParts } from './text-parts.js'
import { localName, type XmlHandler } from '../text/xml.js'

const chunkSize = 1024 * 1024
/** Bytes of all texts that are kept, and how many there are. */
const mostChunks = 64
const mostTexts = 4_000_000
/** Characters of texts that have been asked for, which are kept as such. */
const mostRecent = 1_000_000
/** What stands for the place of a text that is not there. */
const [tooLong, beyond] = [0xffff_ffff, 0xffff_fffe]

/** Takes the XML of shared texts; then gives them out. */
export class SharedTexts implements XmlHandler {
  readonly #chunks: Buffer[] = []
  /** Where the last chunk is free. */
  #used = chunkSize
  /** For each text its place and length in bytes. */
  #places = new Uint32Array(2048)
  #count = 0
  #parts: TextParts | undefined
  #recent = new Map<number, string>()
  #recentSize = 0

  open(name: string): void {
    const local = localName(name)
    if (local === 'si') this.#parts = new TextParts()
    else this.#parts?.open(local)
  }

  close(name: string): void {
    const local = localName(name)
    if (local !== 'si') this.#parts?.close(local)
    else if (this.#parts) {
      this.#add(this.#parts)
      this.#parts = undefined
    }
  }

  text(text: string): void {
    this.#parts?.add(text)
  }

  /** Returns a text by its number, or why there is none. */
  get(index: number): { readonly text: string } | 'too long' | 'beyond' | 'missing' {
    const recent = this.#recent.get(index)
    if (recent !== undefined) return { text: recent }
    if (!Number.isInteger(index) || index < 0) return 'missing'
    if (index >= this.#count) return this.#count === mostTexts ? 'beyond' : 'missing'
    const [place, length] = [this.#places[index * 2]!, this.#places[index * 2 + 1]!]
    if (place === tooLong) return 'too long'
    if (place === beyond) return 'beyond'
    const start = place % chunkSize
    const text = this.#chunks[Math.floor(place / chunkSize)]!.toString('utf8', start, start + length)
    if ((this.#recentSize += text.length) > mostRecent) {
      this.#recent = new Map()
      this.#recentSize = text.length
    }
    this.#recent.set(index, text)
    return { text }
  }

  #add({ isTooLong, text }: TextParts): void {
    if (this.#count === mostTexts) return
    const length = isTooLong ? 0 : Buffer.byteLength(text)
    const isFull = this.#used + length > chunkSize && this.#chunks.length === mostChunks
    const place = isTooLong ? tooLong : isFull ? beyond : this.#put(text, length)
    if (this.#count * 2 === this.#places.length) {
      const places = new Uint32Array(this.#places.length * 2)
      places.set(this.#places)
      this.#places = places
    }
    this.#places[this.#count * 2] = place
    this.#places[this.#count * 2 + 1] = length
    this.#count++
  }

  /** A text has at most as many characters as a record, which fit into a chunk. */
  #put(text: string, length: number): number {
    if (this.#chunks.length === 0 || this.#used + length > chunkSize) {
      this.#chunks.push(Buffer.allocUnsafe(chunkSize))
      this.#used = 0
    }
    const at = this.#used
    this.#chunks.at(-1)!.write(text, at, 'utf8')
    this.#used += length
    return (this.#chunks.length - 1) * chunkSize + at
  }
}
