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

/** What a stretch of bytes holds: the delimiters that begin a part, and where the form ends. */
interface Found {
  readonly count: number
  /** The offset after the delimiter that ends the form. */
  readonly end: number | undefined
}

export class PartCounter {
  /** What the delimiters before each part and at the end of the form begin with; two more bytes tell which of them it is. */
  readonly #mark: Buffer | undefined
  /** The last bytes so far, in which a delimiter may begin. The first delimiter needs no line end before it. */
  #tail: Buffer = Buffer.from(lineEnd)
  #count = 0
  #isOver = false

  constructor(contentType: string) {
    const boundary = boundaryOf(contentType)
    if (boundary !== undefined) this.#mark = Buffer.from(`${lineEnd}--${boundary}`, 'latin1')
  }

  /** The number of parts that have begun; 0 if the boundary is unknown. */
  get count(): number {
    return this.#count
  }

  /** Takes the next bytes and returns those that belong to the form. */
  push(chunk: Buffer): Buffer {
    if (!this.#mark) return chunk
    if (this.#isOver) return nothing
    // A delimiter that begins in the tail ends within as many bytes of the chunk: only these are copied.
    const reach = this.#mark.length + 1
    const seam = Buffer.concat([this.#tail, chunk.subarray(0, reach)])
    const across = find(seam, this.#mark)
    const within = across.end === undefined ? find(chunk, this.#mark) : undefined
    this.#count += across.count + (within?.count ?? 0)
    const end = across.end === undefined ? within?.end : across.end - this.#tail.length
    this.#isOver = end !== undefined
    this.#tail = Buffer.from(chunk.length >= reach ? chunk.subarray(-reach) : seam.subarray(-reach))
    return end === undefined ? chunk : chunk.subarray(0, end)
  }
}

const [dash, carriageReturn, lineFeed] = [45, 13, 10]

/** Finds delimiters in one search: to search megabytes for each kind takes as long as to hash them. */
function find(bytes: Buffer, mark: Buffer): Found {
  let count = 0
  let counted = 0
  for (let at = bytes.indexOf(mark); at >= 0; at = bytes.indexOf(mark, at + mark.length)) {
    const end = at + mark.length + 2
    const [first, second] = [bytes[end - 2], bytes[end - 1]]
    if (first === dash && second === dash) return { count, end }
    // The line end behind a delimiter is not that before another one.
    if (first !== carriageReturn || second !== lineFeed || at < counted) continue
    count++
    counted = end
  }
  return { count, end: undefined }
}
