/**
 * Counts the parts of a multipart form while it arrives, up to its end. The parser silently skips parts whose headers
 * it does not understand. It also continues after the end of the form within the same chunk, and a file that starts there
 * would never end.
 */

const lineEnd = '\r\n'
const noBytes = Buffer.alloc(0)

/** A parameter of a media type: the name, and the value, plain or quoted. */
const parameter = /;[ \t]*([\w!#$%&'*+.^`|~-]+)=(?:([\w!#$%&'*+.^`|~-]+)|"((?:[^"\\]|\\.)*)")/y
const blanks = /[ \t]*/y

/**
 * Returns the boundary of a multipart type; `undefined` if it is ambiguous, since the counter and the parser have to agree on
 * it.
 */
export function parseBoundary(contentType: string): string | undefined {
  let offset = /^multipart\/form-data(?=[ \t]*;)/i.exec(contentType)?.[0].length
  let boundary: string | undefined
  while (offset !== undefined && offset < contentType.trimEnd().length) {
    blanks.lastIndex = offset
    parameter.lastIndex = offset += blanks.exec(contentType)?.[0].length ?? 0
    const [whole, name = '', plain, quoted = ''] = parameter.exec(contentType) ?? []
    if (whole === undefined) return undefined
    offset += whole.length
    if (name.toLowerCase() !== 'boundary') continue
    if (boundary !== undefined) return undefined
    boundary = plain ?? quoted
  }
  return boundary !== undefined && /^[^"\\]{1,200}$/.test(boundary) ? boundary : undefined
}

/** The delimiters in a range of bytes: the number of delimiters that start a part, and where the form ends. */
interface Delimiters {
  readonly count: number
  /** The offset after the delimiter that ends the form. */
  readonly end: number | undefined
}

export class PartCounter {
  /** The start of all delimiters; the next two bytes tell whether a part follows or the form ends. */
  readonly #delimiter: Buffer | undefined
  /** The last bytes so far, in which a delimiter may start. The first delimiter needs no line end before it. */
  #tail: Buffer = Buffer.from(lineEnd)
  #count = 0
  #hasEnded = false

  constructor(contentType: string) {
    const boundary = parseBoundary(contentType)
    if (boundary !== undefined) this.#delimiter = Buffer.from(`${lineEnd}--${boundary}`, 'latin1')
  }

  /** The number of parts that have begun; 0 if the boundary is unknown. */
  get count(): number {
    return this.#count
  }

  /**
   * Counts parts in the next bytes, and returns the bytes that belong to the form. Bytes after the end of the
   * form are dropped. If the boundary is unknown, all belong to it.
   */
  push(chunk: Buffer): Buffer {
    if (!this.#delimiter) return chunk
    if (this.#hasEnded) return noBytes
    // A delimiter that starts in the tail ends within this many bytes of the chunk: only these are copied.
    const overlap = this.#delimiter.length + 1
    const joined = Buffer.concat([this.#tail, chunk.subarray(0, overlap)])
    const across = findDelimiters(joined, this.#delimiter)
    const within = across.end === undefined ? findDelimiters(chunk, this.#delimiter) : undefined
    this.#count += across.count + (within?.count ?? 0)
    const end = across.end === undefined ? within?.end : across.end - this.#tail.length
    this.#hasEnded = end !== undefined
    this.#tail = Buffer.from(chunk.length >= overlap ? chunk.subarray(-overlap) : joined.subarray(-overlap))
    return end === undefined ? chunk : chunk.subarray(0, end)
  }
}

const [dash, carriageReturn, lineFeed] = [45, 13, 10]

/** Finds delimiters of both kinds in one search: searching megabytes takes as long as hashing them. */
function findDelimiters(bytes: Buffer, delimiter: Buffer): Delimiters {
  let count = 0
  let counted = 0
  for (
    let offset = bytes.indexOf(delimiter);
    offset >= 0;
    offset = bytes.indexOf(delimiter, offset + delimiter.length)
  ) {
    const end = offset + delimiter.length + 2
    const [first, second] = [bytes[end - 2], bytes[end - 1]]
    if (first === dash && second === dash) return { count, end }
    // The line end after a delimiter does not count as the one before the next.
    if (first !== carriageReturn || second !== lineFeed || offset < counted) continue
    count++
    counted = end
  }
  return { count, end: undefined }
}
