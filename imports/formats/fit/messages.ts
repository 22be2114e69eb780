/** Decodes FIT files: definitions and data messages, as numbers and texts by the numbers of their fields. */
import { Unreadable } from '../../record.js'

export interface FitMessage {
  /** Its global number, such as 20 for records. */
  readonly number: number
  /** Values by field; those that are invalid are left out. */
  readonly fields: ReadonlyMap<number, number | string | readonly number[]>
  /** Time of the message in FIT's seconds, where its header tells it. */
  readonly timestamp: number | undefined
  /** How many fields of developers it has, which are not decoded. */
  readonly developers: number
}

/** What is known of a file after its last message. */
export interface FitEnd {
  readonly isCutOff: boolean
  readonly hasWrongChecksum: boolean
}

interface Definition {
  readonly number: number
  readonly isLittle: boolean
  readonly fields: readonly { readonly number: number; readonly size: number; readonly type: number }[]
  /** Fields of developers after them, and their bytes. */
  readonly developers: number
  readonly extra: number
}

/** Field number of times in all messages. */
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

/** Whether bytes begin as a FIT file does. */
export function isFit(bytes: Buffer): boolean {
  return (
    bytes.length >= 12 && (bytes[0] === 12 || bytes[0] === 14) && bytes.toString('latin1', 8, 12) === '.FIT'
  )
}

/** The messages of all files in a row; returns how they ended. Throws {@link Unreadable} if it is not a FIT file. */
export function* messagesOf(bytes: Buffer): Generator<FitMessage | 'file', FitEnd, undefined> {
  let isCutOff = false
  let hasWrongChecksum = false
  for (let at = 0; at < bytes.length;) {
    const part = bytes.subarray(at)
    if (!isFit(part)) {
      if (at === 0) throw new Unreadable('It is no FIT file')
      // What follows the last file is padding, or damage.
      isCutOff = part.some(byte => byte !== 0)
      break
    }
    yield 'file'
    const start = at + bytes[at]!
    const end = start + bytes.readUInt32LE(at + 4)
    if (!(yield* dataOf(bytes, start, Math.min(end, bytes.length))) || end + 2 > bytes.length) isCutOff = true
    else if (checksum(bytes.subarray(at, end)) !== bytes.readUInt16LE(end)) hasWrongChecksum = true
    at = end + 2
  }
  return { isCutOff, hasWrongChecksum }
}

/** The messages of one file; returns whether the last one is whole. */
function* dataOf(bytes: Buffer, start: number, end: number): Generator<FitMessage, boolean, undefined> {
  const definitions = new Map<number, Definition>()
  let clock = 0
  for (let at = start; at < end;) {
    const header = bytes[at++]!
    const isCompressed = (header & 0x80) !== 0
    const local = isCompressed ? (header >> 5) & 3 : header & 15
    if (!isCompressed && (header & 0x40) !== 0) {
      const size = definitionSize(bytes, at, end, (header & 0x20) !== 0)
      if (size === undefined) return false
      definitions.set(local, definitionOf(bytes, at, (header & 0x20) !== 0))
      at += size
      continue
    }
    const definition = definitions.get(local)
    // Nobody can tell how long a message is that was not defined.
    if (!definition) return false
    const size = definition.fields.reduce((sum, field) => sum + field.size, definition.extra)
    if (at + size > end) return false
    const fields = valuesOf(bytes, at, definition)
    at += size
    let timestamp: number | undefined
    const own = fields.get(timestampField)
    if (typeof own === 'number') timestamp = clock = own
    else if (isCompressed) {
      const offset = header & 31
      clock += (offset - (clock & 31) + 32) & 31
      timestamp = clock
    }
    yield { number: definition.number, fields, timestamp, developers: definition.developers }
  }
  return true
}

function definitionSize(bytes: Buffer, at: number, end: number, hasDeveloper: boolean): number | undefined {
  if (at + 5 > end) return undefined
  const size = 5 + bytes[at + 4]! * 3
  if (!hasDeveloper) return at + size > end ? undefined : size
  if (at + size + 1 > end) return undefined
  const whole = size + 1 + bytes[at + size]! * 3
  return at + whole > end ? undefined : whole
}

function definitionOf(bytes: Buffer, at: number, hasDeveloper: boolean): Definition {
  const isLittle = bytes[at + 1] === 0
  const count = bytes[at + 4]!
  const all = Array.from({ length: count }, (_, index) => {
    const place = at + 5 + index * 3
    return { number: bytes[place]!, size: bytes[place + 1]!, type: bytes[place + 2]! & 31 }
  })
  // Those without bytes would make messages of nothing take as long as whole ones.
  const fields = all.filter(({ size }) => size > 0)
  let extra = 0
  let developers = 0
  if (hasDeveloper) {
    const place = at + 5 + count * 3
    developers = bytes[place]!
    for (let index = 0; index < developers; index++) extra += bytes[place + 2 + index * 3]!
  }
  return {
    number: isLittle ? bytes.readUInt16LE(at + 2) : bytes.readUInt16BE(at + 2),
    isLittle,
    fields,
    developers,
    extra
  }
}

function valuesOf(bytes: Buffer, start: number, { fields, isLittle }: Definition): FitMessage['fields'] {
  const values = new Map<number, number | string | readonly number[]>()
  let at = start
  for (const { number, size, type } of fields) {
    const value = valueOf(bytes, at, size, type, isLittle)
    if (value !== undefined) values.set(number, value)
    at += size
  }
  return values
}

function valueOf(
  bytes: Buffer,
  at: number,
  size: number,
  type: number,
  isLittle: boolean
): number | string | readonly number[] | undefined {
  if (type === 7) {
    const text = bytes.toString('utf8', at, at + size)
    const end = text.indexOf('\0')
    return end === 0 ? undefined : end < 0 ? text : text.slice(0, end)
  }
  const each = sizes[type] ?? 1
  if (size === each) return numberAt(bytes, at, type, isLittle)
  if (size % each !== 0) return undefined
  const list: number[] = []
  for (let place = at; place < at + size; place += each)
    list.push(numberAt(bytes, place, type, isLittle) ?? NaN)
  return list.every(Number.isNaN) ? undefined : list
}

/** Reads a number of a base type; `undefined` for the value that means invalid. */
function numberAt(bytes: Buffer, at: number, type: number, isLittle: boolean): number | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset + at)
  switch (type) {
    case 0:
    case 2:
    case 13:
      return valid(view.getUint8(0), 0xff)
    case 1:
      return valid(view.getInt8(0), 0x7f)
    case 3:
      return valid(view.getInt16(0, isLittle), 0x7fff)
    case 4:
      return valid(view.getUint16(0, isLittle), 0xffff)
    case 5:
      return valid(view.getInt32(0, isLittle), 0x7fff_ffff)
    case 6:
      return valid(view.getUint32(0, isLittle), 0xffff_ffff)
    case 8:
      return finite(view.getFloat32(0, isLittle))
    case 9:
      return finite(view.getFloat64(0, isLittle))
    case 10:
      return valid(view.getUint8(0), 0)
    case 11:
      return valid(view.getUint16(0, isLittle), 0)
    case 12:
      return valid(view.getUint32(0, isLittle), 0)
    default:
      return undefined
  }
}

/** The number, unless it is the value that means invalid. */
function valid(value: number, none: number): number | undefined {
  return value === none ? undefined : value
}

function finite(value: number): number | undefined {
  return Number.isFinite(value) ? value : undefined
}

const nibbles = [
  0x0000, 0xcc01, 0xd801, 0x1400, 0xf001, 0x3c00, 0x2800, 0xe401, 0xa001, 0x6c00, 0x7800, 0xb401, 0x5000,
  0x9c01, 0x8801, 0x4400
]

/** The checksum of a FIT file. */
export function checksum(bytes: Buffer): number {
  let sum = 0
  for (const byte of bytes) {
    sum = ((sum >> 4) & 0x0fff) ^ nibbles[sum & 15]! ^ nibbles[byte & 15]!
    sum = ((sum >> 4) & 0x0fff) ^ nibbles[sum & 15]! ^ nibbles[(byte >> 4) & 15]!
  }
  return sum
}
