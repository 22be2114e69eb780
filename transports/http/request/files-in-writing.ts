/** Files of a form that are being written: how many, and when there is room for more. (docs/spec/limits.md#uploads) */

/** Maximum number: each file takes a descriptor, and far more memory than a short part. */
export const mostFiles = 32

export class FilesInWriting {
  #count = 0
  #goOn: (() => void) | undefined

  /** Whether there are more than there may be. */
  get isCrowded(): boolean {
    return this.#count > mostFiles
  }

  /** Counts a file until it is written, or has failed. */
  add(file: Promise<unknown>): void {
    this.#count++
    const end = (): void => {
      this.#count--
      if (!this.isCrowded) this.#goOn?.()
    }
    file.then(end, end)
  }

  /** Waits until there is room. All but the last file have come completely, so that always ends. */
  async room(): Promise<void> {
    if (this.isCrowded) await new Promise<void>(resolve => (this.#goOn = resolve))
  }
}
