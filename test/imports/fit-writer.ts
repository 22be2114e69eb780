/** Writes FIT files for tests, message by message, with every feature of the format. */

/** Sizes of base types in bytes. */
const sizes: Readonly<Record<number, number>> = {
  0x00: 1,
  0x01: 1,
  0x02: 1,
  0x83: 2,
  0x84: 2,
  0x85: 4,
  0x86: 4,
  0x07: 1,
  0x88: 4,
  0x89: 8,
  0x0a: 1,
  0x8b: 2,
  0x8c: 4,
  0x0d: 1
}

export type FitValue = number | string | readonly number[]

/** A field: its number, its base type, and the size of a string or a list. */
export type FitField = readonly [number: number, type: number, size?: number]

interface Definition {
  readonly fields: readonly FitField[]
  readonly isBig: boolean
  /** Size of the developer fields in bytes. */
  readonly extra: number
}

export class FitWriter {
  readonly #parts: Buffer[] = []
  readonly #definitions = new Map<number, Definition>()

  /** Defines the messages of a local number. `developer`: sizes of further fields. */
  define(
    local: number,
    message: number,
    fields: readonly FitField[],
    {
      isBig = false,
      developer = []
    }: { readonly isBig?: boolean; readonly developer?: readonly number[] } = {}
  ): void {
    const head = Buffer.alloc(5)
    head[1] = isBig ? 1 : 0
    if (isBig) head.writeUInt16BE(message, 2)
    else head.writeUInt16LE(message, 2)
    head[4] = fields.length
    this.#parts.push(Buffer.from([0x40 | local | (developer.length > 0 ? 0x20 : 0)]), head)
    for (const [number, type, size = sizes[type] ?? 1] of fields)
      this.#parts.push(Buffer.from([number, size, type]))
    if (developer.length > 0) {
      this.#parts.push(Buffer.from([developer.length]))
      for (const [at, size] of developer.entries()) this.#parts.push(Buffer.from([at, size, 0]))
    }
    const extra = developer.reduce((sum, size) => sum + size, 0)
    this.#definitions.set(local, { fields, isBig, extra })
  }

  data(local: number, values: readonly FitValue[]): void {
    this.#parts.push(Buffer.from([local]), this.#body(local, values))
  }

  /** Writes a message whose header contains the last five bits of its time. */
  compressed(local: number, offset: number, values: readonly FitValue[]): void {
    this.#parts.push(Buffer.from([0x80 | (local << 5) | (offset & 31)]), this.#body(local, values))
  }

  raw(bytes: Buffer): void {
    this.#parts.push(bytes)
  }

  /** Returns the file, with its header and checksum. */
  end(headerSize: 12 | 14 = 14): Buffer {
    const body = Buffer.concat(this.#parts)
    const header = Buffer.alloc(headerSize)
    header[0] = headerSize
    header[1] = 0x20
    header.writeUInt16LE(2132, 2)
    header.writeUInt32LE(body.length, 4)
    header.write('.FIT', 8, 'latin1')
    if (headerSize === 14) header.writeUInt16LE(checksum(header.subarray(0, 12)), 12)
    const whole = Buffer.concat([header, body])
    const tail = Buffer.alloc(2)
    tail.writeUInt16LE(checksum(whole))
    return Buffer.concat([whole, tail])
  }

  #body(local: number, values: readonly FitValue[]): Buffer {
    const { extra, fields, isBig } = this.#definitions.get(local)!
    const parts = fields.map(([, type, size = sizes[type] ?? 1], at) =>
      bytesOf(values[at]!, type, size, isBig)
    )
    return Buffer.concat([...parts, Buffer.alloc(extra, 0x2a)])
  }
}

/** Returns a file with the messages that `write` writes. */
export function fitFile(write: (fit: FitWriter) => void, headerSize: 12 | 14 = 14): Buffer {
  const writer = new FitWriter()
  write(writer)
  return writer.end(headerSize)
}

function bytesOf(value: FitValue, type: number, size: number, isBig: boolean): Buffer {
  const bytes = Buffer.alloc(size)
  if (typeof value === 'string') {
    bytes.write(value, 'utf8')
    return bytes
  }
  const each = sizes[type] ?? 1
  const view = new DataView(bytes.buffer, bytes.byteOffset)
  for (const [at, number] of (typeof value === 'number' ? [value] : value).entries()) {
    const place = at * each
    if (type === 0x88) view.setFloat32(place, number, !isBig)
    else if (type === 0x89) view.setFloat64(place, number, !isBig)
    else if (each === 1) view.setUint8(place, number & 0xff)
    else if (each === 2) view.setUint16(place, number & 0xffff, !isBig)
    else view.setUint32(place, number >>> 0, !isBig)
  }
  return bytes
}

/** Computes CRC-16/ARC bit by bit. */
function checksum(bytes: Buffer): number {
  let sum = 0
  for (const byte of bytes) {
    sum ^= byte
    for (let bit = 0; bit < 8; bit++) sum = sum & 1 ? (sum >> 1) ^ 0xa001 : sum >> 1
  }
  return sum
}
