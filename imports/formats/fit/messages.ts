/** Decodes FIT files: yields data messages with numbers and texts by field number. */
import { Unreadable } from '../../record.js'

export interface FitMessage {
  /** Global message number, such as 20 for records. */
  readonly number: number
  /** Values by field number, without invalid ones. */
  readonly fields: ReadonlyMap<number, number | string | readonly number[]>
  /** Time of the message in FIT seconds, if it has one. */
  readonly timestamp: number | undefined
  /** Number of developer fields, which are not decoded. */
  readonly developerFields: number
}

/** Whether a file was complete, known after its last message. */
interface FitEnd {
  readonly isCutOff: boolean
  readonly hasWrongChecksum: boolean
}

interface Definition {
  readonly number: number
  readonly isLittleEndian: boolean
  readonly fields: readonly { readonly number: number; readonly size: number; readonly type: number }[]
  /** Number of developer fields that follow, and their size in bytes. */
  readonly developers: number
  readonly developerSize: number
}

/** Field number of the timestamp in all messages. */
const timestampField = 253
const sizes: Readonly<Record<number, number>> = {
  0: 1,
  1: 1,
  2: 1,
  3: 2,
  4: 2,
  5: 4,
  6: 4,
  7: 1,
  8: 4,
  9: 8,
  10: 1,
  11: 2,
  12: 4,
  13: 1,
  14: 8,
  15: 8,
  16: 8
}

/** Returns true if the bytes begin with a FIT header. */
export function isFit(bytes: Buffer): boolean {
  return (
    bytes.length >= 12 && (bytes[0] === 12 || bytes[0] === 14) && bytes.toString('latin1', 8, 12) === '.FIT'
  )
}

/**
 * Yields the messages of all concatenated files; returns whether the files were complete. Throws {@link Unreadable} if
 * the bytes are no FIT file.
 */
export function* readMessages(bytes: Buffer): Generator<FitMessage | 'file', FitEnd, undefined> {
  let isCutOff = false
  let hasWrongChecksum = false
  for (let at = 0; at < bytes.length;) {
    const part = bytes.subarray(at)
    if (!isFit(part)) {
      if (at === 0) throw new Unreadable('It is no FIT file')
      // The bytes after the last file are padding or damaged.
      isCutOff = part.some(byte => byte !== 0)
      break
    }
    yield 'file'
    const start = at + bytes[at]!
    const end = start + bytes.readUInt32LE(at + 4)
    if (!(yield* readFileMessages(bytes, start, Math.min(end, bytes.length))) || end + 2 > bytes.length)
      isCutOff = true
    else if (computeChecksum(bytes.subarray(at, end)) !== bytes.readUInt16LE(end)) hasWrongChecksum = true
    at = end + 2
  }
  return { isCutOff, hasWrongChecksum }
}

/** Yields the messages of one file; returns true if the last message is complete. */
function* readFileMessages(
  bytes: Buffer,
  start: number,
  end: number
): Generator<FitMessage, boolean, undefined> {
  const definitions = new Map<number, Definition>()
  let clock = 0
  for (let at = start; at < end;) {
    const header = bytes[at++]!
    const isCompressed = (header & 0x80) !== 0
    const local = isCompressed ? (header >> 5) & 3 : header & 15
    if (!isCompressed && (header & 0x40) !== 0) {
      const size = getDefinitionSize(bytes, at, end, (header & 0x20) !== 0)
      if (size === undefined) return false
      definitions.set(local, parseDefinition(bytes, at, (header & 0x20) !== 0))
      at += size
      continue
    }
    const definition = definitions.get(local)
    // The length of an undefined message is unknown.
    if (!definition) return false
    const size = definition.fields.reduce((sum, field) => sum + field.size, definition.developerSize)
    if (at + size > end) return false
    const fields = readFields(bytes, at, definition)
    at += size
    let timestamp: number | undefined
    const own = fields.get(timestampField)
    if (typeof own === 'number') timestamp = clock = own
    else if (isCompressed) {
      const offset = header & 31
      clock += (offset - (clock & 31) + 32) & 31
      timestamp = clock
    }
    yield { number: definition.number, fields, timestamp, developerFields: definition.developers }
  }
  return true
}

/** Returns the size of a definition message in bytes; `undefined` if it ends after `end`. */
function getDefinitionSize(
  bytes: Buffer,
  offset: number,
  end: number,
  hasDeveloper: boolean
): number | undefined {
  if (offset + 5 > end) return undefined
  const size = 5 + bytes[offset + 4]! * 3
  if (!hasDeveloper) return offset + size > end ? undefined : size
  if (offset + size + 1 > end) return undefined
  const whole = size + 1 + bytes[offset + size]! * 3
  return offset + whole > end ? undefined : whole
}

/** Parses a definition message: which fields the following messages of its local type have. */
function parseDefinition(bytes: Buffer, at: number, hasDeveloper: boolean): Definition {
  const isLittleEndian = bytes[at + 1] === 0
  const count = bytes[at + 4]!
  const all = Array.from({ length: count }, (_, index) => {
    const offset = at + 5 + index * 3
    return { number: bytes[offset]!, size: bytes[offset + 1]!, type: bytes[offset + 2]! & 31 }
  })
  // Empty fields would make empty messages take as long as complete ones.
  const fields = all.filter(({ size }) => size > 0)
  let extra = 0
  let developers = 0
  if (hasDeveloper) {
    const offset = at + 5 + count * 3
    developers = bytes[offset]!
    for (let index = 0; index < developers; index++) extra += bytes[offset + 2 + index * 3]!
  }
  return {
    number: isLittleEndian ? bytes.readUInt16LE(at + 2) : bytes.readUInt16BE(at + 2),
    isLittleEndian,
    fields,
    developers,
    developerSize: extra
  }
}

function readFields(
  bytes: Buffer,
  start: number,
  { fields, isLittleEndian }: Definition
): FitMessage['fields'] {
  const values = new Map<number, number | string | readonly number[]>()
  let at = start
  for (const { number, size, type } of fields) {
    const value = readField(bytes, at, size, type, isLittleEndian)
    if (value !== undefined) values.set(number, value)
    at += size
  }
  return values
}

/** Reads a field: a text, a number, or the list of numbers of an array; `undefined` if it is invalid. */
function readField(
  bytes: Buffer,
  at: number,
  size: number,
  type: number,
  isLittleEndian: boolean
): number | string | readonly number[] | undefined {
  if (type === 7) {
    const text = bytes.toString('utf8', at, at + size)
    const end = text.indexOf('\0')
    return end === 0 ? undefined : end < 0 ? text : text.slice(0, end)
  }
  const each = sizes[type] ?? 1
  if (size === each) return readNumber(bytes, at, type, isLittleEndian)
  if (size % each !== 0) return undefined
  const list: number[] = []
  for (let place = at; place < at + size; place += each)
    list.push(readNumber(bytes, place, type, isLittleEndian) ?? NaN)
  return list.every(Number.isNaN) ? undefined : list
}

/** Reads a number of a base type; returns `undefined` for the value that means invalid. */
function readNumber(bytes: Buffer, at: number, type: number, isLittleEndian: boolean): number | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset + at)
  switch (type) {
    case 0:
    case 2:
    case 13:
      return unlessInvalid(view.getUint8(0), 0xff)
    case 1:
      return unlessInvalid(view.getInt8(0), 0x7f)
    case 3:
      return unlessInvalid(view.getInt16(0, isLittleEndian), 0x7fff)
    case 4:
      return unlessInvalid(view.getUint16(0, isLittleEndian), 0xffff)
    case 5:
      return unlessInvalid(view.getInt32(0, isLittleEndian), 0x7fff_ffff)
    case 6:
      return unlessInvalid(view.getUint32(0, isLittleEndian), 0xffff_ffff)
    case 8:
      return unlessInfinite(view.getFloat32(0, isLittleEndian))
    case 9:
      return unlessInfinite(view.getFloat64(0, isLittleEndian))
    case 10:
      return unlessInvalid(view.getUint8(0), 0)
    case 11:
      return unlessInvalid(view.getUint16(0, isLittleEndian), 0)
    case 12:
      return unlessInvalid(view.getUint32(0, isLittleEndian), 0)
    default:
      return undefined
  }
}

/** Returns the number; `undefined` if it equals the value that means invalid. */
function unlessInvalid(value: number, invalid: number): number | undefined {
  return value === invalid ? undefined : value
}

function unlessInfinite(value: number): number | undefined {
  return Number.isFinite(value) ? value : undefined
}

const crcTable = [
  0x0000, 0xcc01, 0xd801, 0x1400, 0xf001, 0x3c00, 0x2800, 0xe401, 0xa001, 0x6c00, 0x7800, 0xb401, 0x5000,
  0x9c01, 0x8801, 0x4400
]

/** Computes the CRC of a FIT file. The bytes do not include the checksum itself. */
function computeChecksum(bytes: Buffer): number {
  let sum = 0
  for (const byte of bytes) {
    sum = ((sum >> 4) & 0x0fff) ^ crcTable[sum & 15]! ^ crcTable[byte & 15]!
    sum = ((sum >> 4) & 0x0fff) ^ crcTable[sum & 15]! ^ crcTable[(byte >> 4) & 15]!
  }
  return sum
}
