/** Limits how many files of a form are being written at a time. (docs/spec/limits.md#uploads) */

/** Maximum number of files being written: each takes a descriptor, and far more memory than a short part. */
export const maxPendingFiles = 32

export class PendingFiles {
  #count = 0
  #resume: (() => void) | undefined

  /** True if more files are being written than permitted. */
  get isFull(): boolean {
    return this.#count > maxPendingFiles
  }

  /** Counts a file until it is written, or has failed. */
  add(file: Promise<unknown>): void {
    this.#count++
    const end = (): void => {
      this.#count--
      if (!this.isFull) this.#resume?.()
    }
    file.then(end, end)
  }

  /**
   * Waits until there is room for another file. All files except the last have arrived completely, so the wait always
   * ends.
   */
  async waitForRoom(): Promise<void> {
    if (this.isFull) await new Promise<void>(resolve => (this.#resume = resolve))
  }
}
