/** Reads what a request contains, and the answer that its app expects. */
import { fail } from '../../core/errors.js'
import type { Dialect, DialectAnswer, Reading, ReceivedRequest } from './dialect.js'

/** Maximum number of objects, lists and lines of a body: reading more would take too long. */
const maxEntries = 400_000
/** Size of bodies whose entries are counted, in bytes. */
const minCountedBytes = 400_000

export interface ReadRequest {
  readonly reading: Reading
  /** To be sent once everything is durable. */
  readonly answer: DialectAnswer
}

/** Reads a request. Error: `invalid-request-structure`. */
export function readRequest(dialect: Dialect, request: ReceivedRequest): ReadRequest {
  assertEntryCount(request.body)
  const reading = dialect.read(request)
  return { reading, answer: dialect.answer(request, reading) }
}

/** Throws `invalid-request-structure` for a body with too many objects, lists and lines. */
export function assertEntryCount(body: Buffer): void {
  if (body.length < minCountedBytes) return
  let count = 0
  for (const byte of body) if (byte === openBrace || byte === openBracket || byte === lineFeed) count++
  if (count > maxEntries)
    fail('invalid-request-structure', `The body has more than ${maxEntries} entries. Send it in parts`)
}

const [openBrace, openBracket, lineFeed] = [0x7b, 0x5b, 0x0a]
