/** A base class for asynchronous sequences of texts. */

export type Step = IteratorResult<string, void>

/** A text, which may be empty, followed by bytes. */
export interface Piece {
  readonly text: string
  readonly bytes?: Uint8Array | undefined
}

export type PieceStep = IteratorResult<Piece, void>

/** Produces texts on demand. Unlike a generator function, a subclass cleans up even if `return` is called before the first `next`. */
export abstract class Texts implements AsyncGenerator<string, void, undefined> {
  /** True if the last text is known to be ASCII, which saves encoders from checking. */
  isAscii = false

  abstract next(): Promise<Step>
  abstract return(): Promise<Step>

  /** Returns the next text with bytes that follow it. For consumers that accept stored bytes without decoding. */
  nextPiece?(): Promise<PieceStep>

  async throw(error: unknown): Promise<Step> {
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
