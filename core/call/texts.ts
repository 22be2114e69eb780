/** Base class for asynchronous sequences of texts. */

export type Step = IteratorResult<string, void>

/** Not a generator function, since calling `return` before the first `next` would not run its cleanup. */
export abstract class Texts implements AsyncGenerator<string, void, undefined> {
  /** Whether the last text is known to be ASCII, which whoever encodes it need not find out again. */
  isAscii = false

  abstract next(): Promise<Step>
  abstract return(): Promise<Step>

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
