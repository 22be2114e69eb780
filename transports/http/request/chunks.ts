/** Collects the chunks of a body that arrives in many small pieces without keeping a buffer for each of them. */
import { smallBytes } from '../join-chunks.js'

/** Maximum number of small chunks that are kept as they are: each takes hundreds of bytes besides what it holds. */
const maxSmall = 64

export class Chunks {
  #size = 0
  readonly #chunks: Buffer[] = []
  #small: Buffer[] = []

  /** Number of bytes so far. */
  get size(): number {
    return this.#size
  }

  add(chunk: Buffer): void {
    this.#size += chunk.length
    const isSmall = chunk.length < smallBytes
    if (isSmall) this.#small.push(chunk)
    if (!isSmall || this.#small.length >= maxSmall) this.#joinSmall()
    if (!isSmall) this.#chunks.push(chunk)
  }

  /** Returns all of them as one buffer. */
  join(): Buffer {
    this.#joinSmall()
    return this.#chunks.length === 1 ? this.#chunks[0]! : Buffer.concat(this.#chunks, this.#size)
  }

  #joinSmall(): void {
    if (this.#small.length > 0) this.#chunks.push(Buffer.concat(this.#small))
    this.#small = []
  }
}
