/** Base class for asynchronous sequences of texts. */

export type Step = IteratorResult<string, void>

/** A text, which may be empty, and bytes that follow it. */
export interface Piece {
  readonly text: string
  readonly bytes?: Uint8Array | undefined
}

export type PieceStep = IteratorResult<Piece, void>

/** Not a generator function, since calling `return` before the first `next` would not run its cleanup. */
export abstract class Texts implements AsyncGenerator<string, void, undefined> {
  /** Whether the last text is known to be ASCII, which whoever encodes it need not find out again. */
  isAscii = false

  abstract next(): Promise<Step>
  abstract return(): Promise<Step>

  /** As `next`, for who takes bytes as well: what is kept as such need not become a string. */
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
