/**
 * Counts the parts of a form as it comes, up to its end. The parser leaves out those whose headers it does not understand,
 * and does not say so; and it goes on behind the end, as far as the piece at hand reaches: a file that begins there would
 * never be over.
 */

const lineEnd = '\r\n'
const nothing = Buffer.alloc(0)

/** A parameter of a type: the name, and the value as it is or quoted. */
const parameter = /;[ \t]*([\w!#$%&'*+.^`|~-]+)=(?:([\w!#$%&'*+.^`|~-]+)|"((?:[^"\\]|\\.)*)")/y
const blanks = /[ \t]*/y

/**
 * The boundary that a type of forms names; nothing where that could be read in several ways: whoever counts parts and
 * whoever takes them apart have to mean the same.
 */
export function boundaryOf(contentType: string): string | undefined {
  let at = /^multipart\/form-data(?=[ \t]*;)/i.exec(contentType)?.[0].length
  let boundary: string | undefined
  while (at !== undefined && at < contentType.trimEnd().length) {
    blanks.lastIndex = at
    parameter.lastIndex = at += blanks.exec(contentType)?.[0].length ?? 0
    const [whole, name = '', plain, quoted = ''] = parameter.exec(contentType) ?? []
    if (whole === undefined) return undefined
    at += whole.length
    if (name.toLowerCase() !== 'boundary') continue
    if (boundary !== undefined) return undefined
    boundary = plain ?? quoted
  }
  return boundary !== undefined && /^[^"\\]{1,200}$/.test(boundary) ? boundary : undefined
}

export class PartCounter {
  /** What is before each part, and what is behind the last one: of the same length. */
  readonly #marks: { readonly delimiter: Buffer; readonly closing: Buffer } | undefined
  /** The last bytes so far, in which a delimiter may have begun; the first one needs no line before it. */
  #tail: Buffer = Buffer.from(lineEnd)
  #count = 0
  #isOver = false

  constructor(contentType: string) {
    const boundary = boundaryOf(contentType)
    if (boundary === undefined) return
    const delimiter = Buffer.from(`${lineEnd}--${boundary}${lineEnd}`, 'latin1')
    this.#marks = { delimiter, closing: Buffer.from(`${lineEnd}--${boundary}--`, 'latin1') }
  }

  /** Parts that have begun; none where the boundary cannot be told. */
  get count(): number {
    return this.#count
  }

  /** Takes the next bytes; answers those of them that belong to the form. */
  push(chunk: Buffer): Buffer {
    if (!this.#marks) return chunk
    if (this.#isOver) return nothing
    const { delimiter, closing } = this.#marks
    const end = this.#endIn(chunk, closing)
    const bytes = end === undefined ? chunk : chunk.subarray(0, end)
    this.#isOver = end !== undefined
    const seam = this.#seam(bytes, delimiter)
    this.#count += occurrences(seam, delimiter) + occurrences(bytes, delimiter)
    this.#tail = Buffer.from(
      bytes.length >= delimiter.length - 1
        ? bytes.subarray(bytes.length - delimiter.length + 1)
        : seam.subarray(Math.max(0, seam.length - delimiter.length + 1))
    )
    return bytes
  }

  /** Where in a chunk the form ends. */
  #endIn(chunk: Buffer, closing: Buffer): number | undefined {
    const across = this.#seam(chunk, closing).indexOf(closing)
    if (across >= 0) return across + closing.length - this.#tail.length
    const within = chunk.indexOf(closing)
    return within < 0 ? undefined : within + closing.length
  }

  /** What a delimiter can lie across: only that is copied, the rest is searched where it is. */
  #seam(chunk: Buffer, delimiter: Buffer): Buffer {
    return Buffer.concat([this.#tail, chunk.subarray(0, delimiter.length - 1)])
  }
}

function occurrences(bytes: Buffer, delimiter: Buffer): number {
  let found = 0
  for (let at = bytes.indexOf(delimiter); at >= 0; at = bytes.indexOf(delimiter, at + delimiter.length))
    found++
  return found
}
