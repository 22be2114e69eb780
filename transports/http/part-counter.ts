/** Counts the parts of a form as it comes: the parser leaves out those whose headers it does not understand, and does not say so. */

const lineEnd = '\r\n'

export class PartCounter {
  readonly #delimiter: Buffer | undefined
  /** The last bytes so far, in which a delimiter may have begun; the first one needs no line before it. */
  #tail: Buffer = Buffer.from(lineEnd)
  #count = 0

  constructor(contentType: string) {
    const [, quoted, plain] = /;\s*boundary=(?:"([^"]+)"|([^;\s]+))/i.exec(contentType) ?? []
    const boundary = quoted ?? plain
    if (boundary !== undefined) this.#delimiter = Buffer.from(`${lineEnd}--${boundary}${lineEnd}`, 'latin1')
  }

  /** Parts that have begun; none where the boundary cannot be told. */
  get count(): number {
    return this.#count
  }

  push(chunk: Buffer): void {
    const delimiter = this.#delimiter
    if (!delimiter) return
    // Only what a delimiter can lie across is copied; the rest is searched where it is.
    const seam = Buffer.concat([this.#tail, chunk.subarray(0, delimiter.length - 1)])
    this.#count += occurrences(seam, delimiter) + occurrences(chunk, delimiter)
    this.#tail = Buffer.from(
      chunk.length >= delimiter.length - 1
        ? chunk.subarray(chunk.length - delimiter.length + 1)
        : seam.subarray(Math.max(0, seam.length - delimiter.length + 1))
    )
  }
}

function occurrences(bytes: Buffer, delimiter: Buffer): number {
  let found = 0
  for (let at = bytes.indexOf(delimiter); at >= 0; at = bytes.indexOf(delimiter, at + delimiter.length))
    found++
  return found
}
