/** A base class for asynchronous sequences of texts. */

export type TextResult = IteratorResult<string, void>

/** A text, which may be empty, followed by bytes. */
export interface TextChunk {
  readonly text: string
  readonly bytes?: Uint8Array | undefined
}

export type ChunkResult = IteratorResult<TextChunk, void>

/** Produces texts on demand. Unlike a generator function, a subclass cleans up even if `return` is called before the first `next`. */
export abstract class TextSource implements AsyncGenerator<string, void, undefined> {
  /** True if the last text is known to be ASCII, which saves encoders from checking. */
  isAscii = false

  /** Returns the next text, which may be empty. */
  abstract next(): Promise<TextResult>
  /** Ends the sequence and releases what it holds. May be called at any time, also before the first `next`. */
  abstract return(): Promise<TextResult>

  /** Like `next`, but a text may be followed by stored bytes, for consumers that need not decode them. */
  nextChunk?(): Promise<ChunkResult>

  /** Ends the sequence and rejects with `error`. */
  async throw(error: unknown): Promise<TextResult> {
    await this.return()
    throw error
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.return()
  }
}
