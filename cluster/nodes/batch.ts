/** The format of data between two nodes: batches of messages. A long message continues in the next batch. */
import type { Life } from './members.js'

/** The header of a batch. */
export interface BatchHead {
  /** Identifies the connection; chosen by the node that opened it. */
  readonly session: string
  /** True if the batch is sent to the node that opened the connection. */
  readonly isBack: boolean
  /** Numbers the batches in this direction, from 1. */
  readonly number: number
  readonly from: Life
  /** True if the sender is leaving: it has answered everything that it has received, and sends nothing more. */
  readonly isLast?: boolean
  /**
   * The incarnation of the receiving node for which the batch is meant: other incarnations do not know the connection.
   */
  readonly to: number
}

/** A message, or part of one. */
export interface Part {
  readonly bytes: Uint8Array
  /** True if the next part continues the message. */
  readonly goesOn: boolean
}

/** First byte of a batch; other messages begin with another byte. */
export const batchMark = 1
/** Bytes before each part: its length, with the highest bit set if the message continues. */
const partHeadBytes = 4
const goesOnBit = 0x8000_0000

/** Encodes a batch. */
export function encodeBatch(head: BatchHead, parts: readonly Part[]): Buffer {
  const text = Buffer.from(JSON.stringify(head))
  const begin = Buffer.allocUnsafe(3)
  begin.writeUInt8(batchMark, 0)
  begin.writeUInt16BE(text.length, 1)
  const chunks: Uint8Array[] = [begin, text]
  for (const { bytes, goesOn } of parts) {
    const length = Buffer.allocUnsafe(partHeadBytes)
    length.writeUInt32BE((goesOn ? goesOnBit : 0) + bytes.length, 0)
    chunks.push(length, bytes)
  }
  return Buffer.concat(chunks)
}

/** Decodes a batch. Throws `RangeError`, `SyntaxError`. */
export function decodeBatch(given: Uint8Array): { head: BatchHead; parts: Part[] } {
  const bytes = Buffer.from(given.buffer, given.byteOffset, given.byteLength)
  let at = 3 + bytes.readUInt16BE(1)
  const head = JSON.parse(bytes.toString('utf8', 3, at)) as BatchHead
  const parts: Part[] = []
  while (at < bytes.length) {
    const length = bytes.readUInt32BE(at)
    const goesOn = length >= goesOnBit
    const end = at + partHeadBytes + (goesOn ? length - goesOnBit : length)
    if (end > bytes.length) throw new RangeError('A part that ends beyond its batch')
    parts.push({ bytes: bytes.subarray(at + partHeadBytes, end), goesOn })
    at = end
  }
  return { head, parts }
}
