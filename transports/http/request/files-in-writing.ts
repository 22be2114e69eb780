/** Limits how many files of a form are being written at a time. (docs/spec/limits.md#uploads) */

/** Maximum number of files being written: each takes a descriptor, and far more memory than a short part. */
export const mostFiles = 32

export class FilesInWriting {
  #count = 0
  #resume: (() => void) | undefined

  /** True if more files are being written than permitted. */
  get isCrowded(): boolean {
    return this.#count > mostFiles
  }

  /** Counts a file until it is written, or has failed. */
  add(file: Promise<unknown>): void {
    this.#count++
    const end = (): void => {
      this.#count--
      if (!this.isCrowded) this.#resume?.()
    }
    file.then(end, end)
  }

  /** Waits until there is room. All files except the last have arrived completely, so the wait always ends. */
  async room(): Promise<void> {
    if (this.isCrowded) await new Promise<void>(resolve => (this.#resume = resolve))
  }
}
