/**
 * Counts the parts of a multipart form while it arrives, up to its end. The parser silently skips parts whose headers
 * it does not understand. It also continues behind the end of the form within the same chunk, and a file beginning
 * there would never end.
 */

const lineEnd = '\r\n'
const nothing = Buffer.alloc(0)

/** A parameter of a media type: the name, and the value, plain or quoted. */
const parameter = /;[ \t]*([\w!#$%&'*+.^`|~-]+)=(?:([\w!#$%&'*+.^`|~-]+)|"((?:[^"\\]|\\.)*)")/y
const blanks = /[ \t]*/y

/**
 * Returns the boundary of a multipart type, or `undefined` if it is ambiguous: the counter and the parser have to
 * agree on it.
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
  /** The delimiter before each part, and the one that ends the form; both have the same length. */
  readonly #marks: { readonly delimiter: Buffer; readonly closing: Buffer } | undefined
  /** The last bytes so far, in which a delimiter may begin. The first delimiter needs no line end before it. */
  #tail: Buffer = Buffer.from(lineEnd)
  #count = 0
  #isOver = false

  constructor(contentType: string) {
    const boundary = boundaryOf(contentType)
    if (boundary === undefined) return
    const delimiter = Buffer.from(`${lineEnd}--${boundary}${lineEnd}`, 'latin1')
    this.#marks = { delimiter, closing: Buffer.from(`${lineEnd}--${boundary}--`, 'latin1') }
  }

  /** The number of parts that have begun; 0 if the boundary is unknown. */
  get count(): number {
    return this.#count
  }

  /** Takes the next bytes and returns those that belong to the form. */
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

  /** Returns the offset in a chunk at which the form ends. */
  #endIn(chunk: Buffer, closing: Buffer): number | undefined {
    const across = this.#seam(chunk, closing).indexOf(closing)
    if (across >= 0) return across + closing.length - this.#tail.length
    const within = chunk.indexOf(closing)
    return within < 0 ? undefined : within + closing.length
  }

  /** The bytes that a delimiter can span. Only these are copied; the rest of the chunk is searched in place. */
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
