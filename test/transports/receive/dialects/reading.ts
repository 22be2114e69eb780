/** Reads requests with a dialect alone. */
import type t from 'tap'
import { ApiError } from '../../../../core/errors.js'
import type {
  Dialect,
  DialectAnswer,
  Reading,
  ReceivedRequest
} from '../../../../transports/receive/dialect.js'

/** 2026-11-26T12:00:00Z */
export const noon = 1_795_694_400

/** Creates a request with this body. */
export function request(body: unknown, given: Partial<ReceivedRequest> = {}): ReceivedRequest {
  return {
    method: 'POST',
    path: '',
    query: {},
    headers: {},
    now: noon,
    connection: { name: 'phone', sensitive: false },
    ...given,
    body: Buffer.isBuffer(body) ? body : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
  }
}

export function read(dialect: Dialect, body: unknown, given: Partial<ReceivedRequest> = {}): Reading {
  return dialect.read(request(body, given))
}

export function answer(dialect: Dialect, body: unknown, given: Partial<ReceivedRequest> = {}): DialectAnswer {
  const received = request(body, given)
  return dialect.answer(received, dialect.read(received))
}

/** Returns records as `[stream, type, time, content]`. */
export function brief({ records }: Reading): unknown[] {
  return records.map(({ content, stream, time, type }) => [stream, type, time, content])
}

/** Returns what was not understood. */
export function missed({ notUnderstood }: Reading): Record<string, number> {
  return Object.fromEntries(notUnderstood)
}

/** Tests that a body is refused as a whole. */
export function refused(
  tap: Pick<typeof t, 'fail' | 'equal'>,
  dialect: Dialect,
  body: unknown,
  given: Partial<ReceivedRequest> = {}
): void {
  try {
    read(dialect, body, given)
    tap.fail(`not refused: ${String(body).slice(0, 100)}`)
  } catch (error) {
    if (error instanceof ApiError) tap.equal(error.status, 400, error.message)
    else tap.fail(String(error))
  }
}
