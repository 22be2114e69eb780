/** Limits how many files of a form are being written at a time. (docs/spec/limits.md#uploads) */

/** Maximum number of files of a form being written: each takes far more memory than a short part. */
export const maxPendingFiles = 32
/** The same of all forms, without one of each, which may be arriving for long. Beyond it, each form may have only that one. */
const maxPendingInAll = 256

export class PendingFiles {
  /** Files of all forms in this thread, without one of each. */
  static #all = 0
  #count = 0
  #resume: (() => void) | undefined

  /** True if more files are being written than permitted. */
  get isFull(): boolean {
    return this.#count > (PendingFiles.#all > maxPendingInAll ? 1 : maxPendingFiles)
  }

  /** Counts a file until it is written, or has failed. */
  add(file: Promise<unknown>): void {
    if (this.#count++ > 0) PendingFiles.#all++
    const end = (): void => {
      if (--this.#count > 0) PendingFiles.#all--
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
