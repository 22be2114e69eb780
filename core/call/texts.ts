/** Base class for asynchronous sequences of texts. */

export type Step = IteratorResult<string, void>

/** A text, which may be empty, and bytes that follow it. */
export interface Piece {
  readonly text: string
  readonly bytes?: Uint8Array | undefined
}

export type PieceStep = IteratorResult<Piece, void>

/**
 * Texts that are made as they are asked for. Classes extend this instead of being generator functions, whose cleanup does not run
 * where `return` is called before the first `next`.
 */
export abstract class Texts implements AsyncGenerator<string, void, undefined> {
  /** Whether the last text is known to be ASCII, which whoever encodes it need not find out again. */
  isAscii = false

  abstract next(): Promise<Step>
  abstract return(): Promise<Step>

  /** As `next`, for consumers that take bytes as well: what is stored as bytes need not be decoded for them. */
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
