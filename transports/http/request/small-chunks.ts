/**
 * Joins the small chunks of bodies. Node emits each as a buffer of its own, with an overhead of hundreds of bytes: 64 KB of input
 * could take 4 MB.
 */
import type { IncomingMessage } from 'node:http'

/** Chunks of fewer bytes are joined. */
const smallChunkBytes = 1024
/** Maximum number of small chunks that are not joined yet: each has an overhead of hundreds of bytes. */
const maxSmall = 64

/** Collects the chunks of a body without keeping a buffer for each small one. */
export class ChunkList {
  #size = 0
  readonly #chunks: Buffer[] = []
  #small: Buffer[] = []

  /** Number of bytes so far. */
  get size(): number {
    return this.#size
  }

  /** Adds a chunk. Small chunks are joined, a number of them at a time. */
  add(chunk: Buffer): void {
    this.#size += chunk.length
    const isSmall = chunk.length < smallChunkBytes
    if (isSmall) this.#small.push(chunk)
    if (!isSmall || this.#small.length >= maxSmall) this.#joinSmall()
    if (!isSmall) this.#chunks.push(chunk)
  }

  /** Returns all chunks as one buffer. */
  join(): Buffer {
    this.#joinSmall()
    return this.#chunks.length === 1 ? this.#chunks[0]! : Buffer.concat(this.#chunks, this.#size)
  }

  #joinSmall(): void {
    if (this.#small.length > 0) this.#chunks.push(Buffer.concat(this.#small))
    this.#small = []
  }
}

/** Joins the small chunks of a body that Node parses in one turn of the event loop. */
export function joinSmallChunks(request: IncomingMessage): void {
  const push = request.push.bind(request)
  let small: Buffer[] = []
  let size = 0
  const flush = (): void => {
    if (small.length === 0) return
    const joined = small.length === 1 ? small[0]! : Buffer.concat(small, size)
    small = []
    size = 0
    push(joined)
  }
  request.push = (chunk: Buffer | null) => {
    if (chunk === null || chunk.length >= smallChunkBytes) {
      flush()
      return push(chunk)
    }
    // Node runs ticks and microtasks after each chunk.
    if (small.length === 0) setImmediate(flush)
    small.push(chunk)
    size += chunk.length
    // Node stops reading if this is false.
    return request.readableLength + size < request.readableHighWaterMark
  }
}
