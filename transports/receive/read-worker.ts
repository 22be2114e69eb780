/** The worker thread that reads large bodies, one after the other. */
import { parentPort, type MessagePort } from 'node:worker_threads'
import { ApiError, type ErrorDetails, type ErrorId } from '../../core/errors.js'
import type { DialectAnswer, Reading, ReceivedRecord, ReceivedRequest } from './dialect.js'
import { dialects } from './dialects.js'
import { readRequest } from './read-request.js'

/** Number of records in a message: receiving it must not block the main thread for long. */
const batchRecords = 500

/** A body to read. */
export interface ReadTask {
  readonly dialect: string
  readonly request: Omit<ReceivedRequest, 'body'>
  readonly body: Uint8Array
  /** Takes lists of `ReceivedRecord`, before the task is answered. */
  readonly records: MessagePort
}

/** The answer to a task; for a body that cannot be read, the error. */
export type ReadAnswer =
  | { readonly reading: Omit<Reading, 'records'>; readonly answer: DialectAnswer }
  | { readonly refusal: { readonly id: ErrorId; readonly message: string; readonly details: ErrorDetails } }
  | { readonly fault: unknown }

const port = parentPort!
port.on('message', (task: ReadTask) => {
  let answer: ReadAnswer
  try {
    answer = read(task)
  } catch (error) {
    answer = toFault(error)
  }
  port.postMessage(answer)
  task.records.close()
})

/** Reads a request, and posts its records in batches. Returns the answer and what else was read. */
function read({ body, dialect, records: to, request }: ReadTask): ReadAnswer {
  const { buffer, byteLength, byteOffset } = body
  const bytes = Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength)
  const { answer, reading } = readRequest(dialects.get(dialect)!, { ...request, body: bytes })
  const { notUnderstood, received, records, removals, unmapped } = reading
  for (let from = 0; from < records.length; from += batchRecords)
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
    to.postMessage(records.slice(from, from + batchRecords) satisfies readonly ReceivedRecord[])
  return {
    answer,
    reading: { received, notUnderstood, ...(removals && { removals }), ...(unmapped && { unmapped }) }
  }
}

function toFault(error: unknown): ReadAnswer {
  if (!(error instanceof ApiError)) return { fault: error }
  const { details, id, message } = error
  return { refusal: { id, message, details } }
}
