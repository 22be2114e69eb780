/** What two nodes send each other: batches of messages, of which a long one goes on in the next batch. */
import type { Life } from './members.js'

/** The head of a batch. */
export interface BatchHead {
  /** Names the connection; whoever asks has chosen it. */
  readonly session: string
  /** Whether it goes to the one that asks. */
  readonly isBack: boolean
  /** Counts the batches in this direction, from 1. */
  readonly number: number
  readonly from: Life
  /** Whether the sender leaves: it has answered all that it has taken, and sends nothing more. */
  readonly isLast?: boolean
  /** The life that it is meant for: another one of the same node knows nothing of the connection. */
  readonly to: number
}

/** A message, or part of one. */
export interface Part {
  readonly bytes: Uint8Array
  /** Whether the next part goes on with it. */
  readonly goesOn: boolean
}

/** First byte of a batch; whatever begins otherwise is meant for somebody else. */
export const batchMark = 1
/** Bytes before each part: its length, with the highest bit set if it goes on. */
const partHeadBytes = 4
const goesOnBit = 0x8000_0000

/** The bytes of a batch. */
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

/** Reads a batch. Throws `RangeError`, `SyntaxError`. */
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
