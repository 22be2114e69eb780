/**
 * Requests to the JetStream API by its message protocol. The client library reads by ordered consumers, which were
 * observed to hang, and leaks a subscription for each batch of direct gets.
 * (https://docs.nats.io/reference/reference-protocols/nats_api_reference)
 */
import { headers, type NatsConnection } from '@nats-io/transport-node'
import { EngineUnavailable } from '../engine.js'

/** JetStream has refused a request. */
export class JetStreamError extends Error {
  constructor(
    /** The code of the error in JetStream's table. */
    readonly code: number,
    description: string
  ) {
    super(`The engine refused the request: ${description} (${code})`)
    this.name = 'JetStreamError'
  }
}

/** Error codes. */
export const errorCodes = {
  messageNotFound: 10_037,
  streamExists: 10_058,
  streamNotFound: 10_059,
  wrongLast: 10_071,
  /** The same error, for a subject with a pending message. */
  wrongLastInFlight: 10_164
} as const

/** The common part of JetStream's answers. */
interface Answer {
  readonly error?: { readonly err_code?: number; readonly code?: number; readonly description?: string }
}

/** Sends a message, and resolves with the bytes of its answer. Rejects with `EngineUnavailable` if no answer comes. */
export async function sendRequest(
  connection: NatsConnection,
  subject: string,
  bytes: Uint8Array,
  timeoutMs: number,
  fields: Readonly<Record<string, string>> = {}
): Promise<Uint8Array> {
  const head = headers()
  for (const [name, value] of Object.entries(fields)) head.set(name, value)
  try {
    return (await connection.request(subject, bytes, { timeout: timeoutMs, headers: head })).data
  } catch (error) {
    throw new EngineUnavailable(error)
  }
}

/** Calls JetStream's API, such as `STREAM.INFO.NAME`. Rejects with {@link JetStreamError}, or with `EngineUnavailable`. */
export async function callApi<T>(
  connection: NatsConnection,
  question: string,
  params: object,
  timeoutMs: number
): Promise<T> {
  const bytes = Buffer.from(JSON.stringify(params))
  return parseAnswer(await sendRequest(connection, `$JS.API.${question}`, bytes, timeoutMs)) as T
}

/**
 * Publishes a message to a stream after the last message of its subject, and resolves with its sequence. Rejects with
 * {@link JetStreamError} if it is refused, with `EngineUnavailable` if the outcome is unknown.
 */
export async function publish(
  connection: NatsConnection,
  stream: string,
  subject: string,
  bytes: Uint8Array,
  expected: number,
  timeoutMs: number
): Promise<number> {
  await endOfTurn()
  const answer = await sendRequest(connection, subject, bytes, timeoutMs, {
    'Nats-Expected-Stream': stream,
    'Nats-Expected-Last-Subject-Sequence': String(expected)
  })
  const { seq } = parseAnswer(answer) as { seq?: number }
  if (seq === undefined) throw new EngineUnavailable(new Error('An acknowledgement without a sequence'))
  return seq
}

let turn: Promise<void> | undefined

/** Resolves at the end of the turn of the event loop, for all callers at once: what they send then is written together. */
function endOfTurn(): Promise<void> {
  turn ??= new Promise(resolve => {
    setImmediate(() => {
      turn = undefined
      resolve()
    })
  })
  return turn
}

/**
 * Parses an answer. Throws {@link JetStreamError} if the answer is a refusal. Throws `EngineUnavailable` if
 * it is no JSON.
 */
function parseAnswer(bytes: Uint8Array): object {
  let answer: Answer
  try {
    answer = JSON.parse(Buffer.from(bytes).toString()) as Answer
  } catch (error) {
    throw new EngineUnavailable(error)
  }
  const { error } = answer
  if (error)
    throw new JetStreamError(error.err_code ?? error.code ?? 0, error.description ?? 'no reason given')
  return answer
}

/** Rejects with `EngineUnavailable` instead of {@link JetStreamError}. */
export async function translateRefusal<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer
  } catch (error) {
    throw error instanceof JetStreamError ? new EngineUnavailable(error) : error
  }
}
