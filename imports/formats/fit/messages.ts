/** Decodes FIT files: yields data messages with numbers and texts by field number. */
import { Unreadable } from '../../record.js'
import { timestampField } from './profile.js'

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

/** Base types of fields. Those that end in `z` use 0 for invalid values. */
const baseTypes = {
  enum: 0,
  sint8: 1,
  uint8: 2,
  sint16: 3,
  uint16: 4,
  sint32: 5,
  uint32: 6,
  string: 7,
  float32: 8,
  float64: 9,
  uint8z: 10,
  uint16z: 11,
  uint32z: 12,
  byte: 13,
  sint64: 14,
  uint64: 15,
  uint64z: 16
} as const
/** Bits of a base type's byte that number it. */
const baseTypeBits = 31
/** Sizes in bytes of values, by base type. */
const sizes: Readonly<Record<number, number>> = {
  [baseTypes.enum]: 1,
  [baseTypes.sint8]: 1,
  [baseTypes.uint8]: 1,
  [baseTypes.sint16]: 2,
  [baseTypes.uint16]: 2,
  [baseTypes.sint32]: 4,
  [baseTypes.uint32]: 4,
  [baseTypes.string]: 1,
  [baseTypes.float32]: 4,
  [baseTypes.float64]: 8,
  [baseTypes.uint8z]: 1,
  [baseTypes.uint16z]: 2,
  [baseTypes.uint32z]: 4,
  [baseTypes.byte]: 1,
  [baseTypes.sint64]: 8,
  [baseTypes.uint64]: 8,
  [baseTypes.uint64z]: 8
}

/** Bits of the header of a record. */
const [compressedBit, definitionBit, developerBit] = [0x80, 0x40, 0x20]
/** Bits of a compressed header that contain the end of the time. */
const timeBits = 31
/** Lengths in bytes of a file's header, without and with a checksum. */
const [shortHeader, longHeader] = [12, 14]
/** Length in bytes of the beginning of a definition, and of each field in it. */
const [definitionHead, fieldLength] = [5, 3]

/** Returns true if the bytes begin with a FIT header. */
export function isFit(bytes: Buffer): boolean {
  return (
    bytes.length >= shortHeader &&
    (bytes[0] === shortHeader || bytes[0] === longHeader) &&
    bytes.toString('latin1', 8, 12) === '.FIT'
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
    const isCompressed = (header & compressedBit) !== 0
    const local = isCompressed ? (header >> 5) & 3 : header & 15
    if (!isCompressed && (header & definitionBit) !== 0) {
      const size = getDefinitionSize(bytes, at, end, (header & developerBit) !== 0)
      if (size === undefined) return false
      definitions.set(local, parseDefinition(bytes, at, (header & developerBit) !== 0))
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
      const offset = header & timeBits
      clock += (offset - (clock & timeBits) + timeBits + 1) & timeBits
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
  if (offset + definitionHead > end) return undefined
  const size = definitionHead + bytes[offset + 4]! * fieldLength
  if (!hasDeveloper) return offset + size > end ? undefined : size
  if (offset + size + 1 > end) return undefined
  const whole = size + 1 + bytes[offset + size]! * fieldLength
  return offset + whole > end ? undefined : whole
}

/** Parses a definition message: which fields the following messages of its local type have. */
function parseDefinition(bytes: Buffer, at: number, hasDeveloper: boolean): Definition {
  const isLittleEndian = bytes[at + 1] === 0
  const count = bytes[at + 4]!
  const all = Array.from({ length: count }, (_, index) => {
    const offset = at + definitionHead + index * fieldLength
    return { number: bytes[offset]!, size: bytes[offset + 1]!, type: bytes[offset + 2]! & baseTypeBits }
  })
  // Empty fields would make empty messages take as long as complete ones.
  const fields = all.filter(({ size }) => size > 0)
  let extra = 0
  let developers = 0
  if (hasDeveloper) {
    const offset = at + definitionHead + count * fieldLength
    developers = bytes[offset]!
    for (let index = 0; index < developers; index++) extra += bytes[offset + 2 + index * fieldLength]!
  }
  return {
    number: isLittleEndian ? bytes.readUInt16LE(at + 2) : bytes.readUInt16BE(at + 2),
    isLittleEndian,
    fields,
    developers,
    developerSize: extra
  }
}

/** Reads the fields of a message that starts at `start`, without invalid ones. */
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
  if (type === baseTypes.string) {
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
    case baseTypes.enum:
    case baseTypes.uint8:
    case baseTypes.byte:
      return unlessInvalid(view.getUint8(0), 0xff)
    case baseTypes.sint8:
      return unlessInvalid(view.getInt8(0), 0x7f)
    case baseTypes.sint16:
      return unlessInvalid(view.getInt16(0, isLittleEndian), 0x7fff)
    case baseTypes.uint16:
      return unlessInvalid(view.getUint16(0, isLittleEndian), 0xffff)
    case baseTypes.sint32:
      return unlessInvalid(view.getInt32(0, isLittleEndian), 0x7fff_ffff)
    case baseTypes.uint32:
      return unlessInvalid(view.getUint32(0, isLittleEndian), 0xffff_ffff)
    case baseTypes.float32:
      return unlessInfinite(view.getFloat32(0, isLittleEndian))
    case baseTypes.float64:
      return unlessInfinite(view.getFloat64(0, isLittleEndian))
    case baseTypes.uint8z:
      return unlessInvalid(view.getUint8(0), 0)
    case baseTypes.uint16z:
      return unlessInvalid(view.getUint16(0, isLittleEndian), 0)
    case baseTypes.uint32z:
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
