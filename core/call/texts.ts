/** Texts that are pulled one by one: what all kinds of them have in common. */

export type Step = IteratorResult<string, void>

/** Not a generator function: one that was never begun would not notice that it is given back. */
export abstract class Texts implements AsyncGenerator<string, void, undefined> {
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
