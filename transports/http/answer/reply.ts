/**
 * Sends outcomes as HTTP responses: status, headers, body, and `meta` in each of them.
 * (docs/spec/conventions.md#response-envelope; docs/spec/errors.md#error-object)
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Exchange } from '../exchange.js'
import { sendInOneWrite } from './one-write.js'
import { setMissingHeaders } from './headers.js'
import { toErrorEnvelope, toMetaMember } from '../../../core/envelope.js'
import { cutText } from '../../../core/exports/chunks.js'
import { ApiError } from '../../../core/errors.js'
import { toAsciiJson } from '../../../core/json/json-text.js'
import { getAccountKey } from '../../../core/call/account-key.js'
import type { SharedServices } from '../../../core/call/dispatcher.js'
import type { ReleasePlace } from '../../../core/security/long-responses.js'
import type { Failure, Outcome, Success } from '../../../core/call/outcome.js'
import { noTexts, ResponseWriter } from './response-writer.js'

const json = 'application/json; charset=utf-8'
const plain = 'text/plain; charset=utf-8'

/** Tells clients to send a proof. (RFC 9449, 7.1) */
export const proofChallenge = 'DPoP algs="ES256", error="invalid_token"'

/** Characters up to which a response is sent without reserving a slot for long responses. */
export const maxShortLength = 64 * 1024

/**
 * Sends an outcome; `status` is the status if the call succeeded. If the response is long or is not read
 * immediately, resolves once the client has received it.
 */
export function reply(
  exchange: Exchange,
  services: SharedServices,
  result: Outcome,
  status: number
): Promise<void> | undefined {
  const { accessId, ok } = result
  if (!ok) {
    if (accessId !== undefined) exchange.res.setHeader(services.config.accessIdHeader, accessId)
    return replyError(exchange, services, result.error, accessId)
  }
  forbidKeeping(exchange.res, status)
  const isLong = result.remainder !== undefined || result.members.length > maxShortLength
  const outcome = result.isList && !isLong ? toAscii(result) : result
  if (outcome.isUnchanged) return replyHead(exchange, 304, buildOwnHeaders(services, outcome))
  if (status === 204) return replyHead(exchange, status, buildOwnHeaders(services, outcome))
  if (isLong || outcome.members.length > maxShortLength) return replyLong(exchange, services, outcome, status)
  if (outcome.cut !== undefined) return replyInChunks(exchange, services, outcome, status)
  replyWhole(exchange, services, outcome, status)
  return waitIfUnread(exchange, services)
}

/** Lets browsers ask again, which keep these responses otherwise (RFC 9110, 15.1): an account may come back, for example. */
function forbidKeeping(res: Exchange['res'], status: number): void {
  if (status === 301 || status === 410) res.setHeader('Cache-Control', 'no-store')
}

/**
 * Returns a short list in ASCII: clients may read lists while they arrive, and some decode each chunk by itself.
 * (docs/spec/events.md#form-of-the-list)
 */
function toAscii(outcome: Success): Success {
  const { cut, extraBytes, members: text } = outcome
  if (extraBytes === 0) return outcome
  return {
    ...outcome,
    members: toAsciiJson(text),
    extraBytes: 0,
    cut: cut === undefined ? undefined : toAsciiJson(text.slice(0, cut)).length
  }
}

/** Waits for a short response to be taken if the client has not read it: it holds a connection, too. */
export function waitIfUnread(exchange: Exchange, services: SharedServices): Promise<void> | undefined {
  return exchange.req.socket.writableLength > 0
    ? new ResponseWriter(exchange, services).waitUntilTaken()
    : undefined
}

/** Sends a result that is complete. */
function replyWhole(exchange: Exchange, services: SharedServices, outcome: Success, status: number): void {
  const { extraBytes, members: text } = outcome
  const meta = toMetaMember(services.config, services.clock.now())
  const body = text === '' ? `{${meta}}` : `{${text},${meta}}`
  // Everything around the members is ASCII.
  const length = extraBytes === undefined ? Buffer.byteLength(body) : body.length + extraBytes
  const headers = buildOwnHeaders(services, outcome)
  headers.push('Content-Type', json, 'Content-Length', String(length))
  // Pure ASCII is the same in Latin-1, which Node copies without inspecting each character.
  sendInOneWrite(exchange, status, headers, body, length === body.length ? 'latin1' : 'utf8')
}

/** Sends a complete result in two chunks, for clients that depend on receiving the chunks separately. */
async function replyInChunks(
  exchange: Exchange,
  services: SharedServices,
  outcome: Success,
  status: number
): Promise<void> {
  const { cut, members: text } = outcome
  const { res } = exchange
  res.writeHead(status, buildJsonHeaders(exchange, services, outcome))
  res.write(`{${text.slice(0, cut)}`)
  await nextTurn()
  res.end(`${text.slice(cut)},${toMetaMember(services.config, services.clock.now())}}`)
  await new ResponseWriter(exchange, services).waitUntilTaken()
}

/** Sends 304, because the client has this response already, or 204, without a length: clients would wait for the body. */
function replyHead({ res, state }: Exchange, status: number, own: readonly string[]): undefined {
  res.writeHead(status, [...state.headers, ...own]).end()
}

/** Returns all headers as one list: setting them one by one takes a tenth of the time of a small call. */
function buildJsonHeaders(exchange: Exchange, services: SharedServices, outcome: Success): string[] {
  return [...exchange.state.headers, 'Content-Type', json, ...buildOwnHeaders(services, outcome)]
}

/**
 * Returns the headers for the access and for validation. The ETag is weak, since the time in `meta` always differs.
 * Caches must not store the response: it is personal data, and clients compute the offset of their clocks from the time
 * in `meta`.
 */
function buildOwnHeaders({ config }: SharedServices, { accessId, validator }: Success): string[] {
  const headers: string[] = []
  if (accessId !== undefined) headers.push(config.accessIdHeader, accessId)
  if (validator !== undefined) {
    headers.push('ETag', `W/"${validator}"`, 'Cache-Control', 'no-store')
  }
  return headers
}

/** What a long response needs. */
interface PlaceRequest {
  /** The access that reads; `undefined`: the client's address takes its place. */
  readonly accessId: string | undefined
  /** Number of places; 1 if absent. */
  readonly places?: number
  /** True if the call was a read, whatever the verb. */
  readonly isRead?: boolean | undefined
}

/**
 * Reserves places for a long response, and returns the function that releases them. Only reads can be refused. After a write,
 * the result is sent once there is a slot; if the client reads none of its other responses, the connection is reset.
 */
export async function reserveSlot(
  exchange: Exchange,
  services: SharedServices,
  { accessId, isRead, places }: PlaceRequest
): Promise<ReleasePlace> {
  const { method, req, state } = exchange
  const address = req.socket.remoteAddress ?? ''
  const { user } = state.address
  const account = user === undefined ? address : getAccountKey(services, user)
  const client = { user: account, access: accessId ?? address }
  try {
    return (
      services.longResponses.tryAcquire(client, places) ??
      (await services.longResponses.acquire(client, places))
    )
  } catch (error) {
    if (method !== 'GET' && method !== 'HEAD' && !isRead) new ResponseWriter(exchange, services).reset()
    throw error
  }
}

/**
 * Sends a long response, after waiting for one of the slots for long responses. Resolves once the client has taken
 * it.
 */
async function replyLong(
  exchange: Exchange,
  services: SharedServices,
  outcome: Success,
  status: number
): Promise<void> {
  const { accessId, extraBytes, isList, members: text, remainder } = outcome
  let release: ReleasePlace | undefined
  try {
    release = await reserveSlot(exchange, services, { accessId })
    const outgoing = new ResponseWriter(exchange, services)
    // Escaping a list as a whole would take six bytes for each character until the client has read it.
    if (remainder || (isList && extraBytes !== 0)) {
      exchange.res.writeHead(status, buildJsonHeaders(exchange, services, outcome))
      if (exchange.method === 'HEAD') exchange.res.end()
      else
        await outgoing.sendText(
          `{${text}`,
          remainder ?? noTexts(),
          () => `,${toMetaMember(services.config, services.clock.now())}}`,
          isList ? 'ascii-json' : 'utf8'
        )
    } else replyWhole(exchange, services, outcome, status)
    await outgoing.waitUntilTaken()
  } finally {
    release?.()
    await remainder?.return()
  }
}

/**
 * Sends an error. If the error is long, or the client does not read it immediately, resolves once it has. A long error
 * takes a slot of `accessId`, or of the client's address without it; if it gets none, the refusal is sent instead.
 */
export function replyError(
  exchange: Exchange,
  services: SharedServices,
  error: ApiError,
  accessId?: string
): Promise<void> | undefined {
  setErrorHeaders(exchange, error)
  const body = toErrorEnvelope(services.config, services.clock.now(), error)
  if (body.length > maxShortLength)
    return replyLongError(exchange, services, { status: error.status, body, accessId })
  replyText(exchange, error.status, body, json)
  return waitIfUnread(exchange, services)
}

/** Sets the headers that an error needs, whatever the form of its body. */
export function setErrorHeaders({ res }: Exchange, { details, status }: ApiError): void {
  const { retryAfter, location, needsProof } = details
  forbidKeeping(res, status)
  if (needsProof) res.setHeader('WWW-Authenticate', proofChallenge)
  if (retryAfter !== undefined) res.setHeader('Retry-After', String(Math.ceil(retryAfter)))
  if (location !== undefined) res.setHeader('Location', location)
}

/** Sends an error with long details, such as many unknown ids. */
async function replyLongError(
  exchange: Exchange,
  services: SharedServices,
  response: LongResponse
): Promise<void> {
  try {
    await replyLongText(exchange, services, response)
  } catch (refusal) {
    if (!(refusal instanceof ApiError)) throw refusal
    await replyError(exchange, services, refusal)
  }
}

/** A response that is in memory as a whole takes one of the places for long responses for each of so many bytes. */
const bytesPerPlace = 2 * 1024 * 1024

interface LongResponse {
  readonly status: number
  readonly body: string
  readonly type?: string | undefined
  readonly accessId?: string | undefined
  /** True if the call was a read, whatever the verb. */
  readonly isRead?: boolean
  /** Returns an error as soon as the access may no longer read the response. */
  readonly recheck?: (() => Promise<Failure | undefined> | Failure | undefined) | undefined
}

/**
 * Sends a long text once there are places for it. Resolves once it has been taken. Errors: the errors of
 * {@link reserveSlot}, and that of the recheck; once part of it is sent, an error resets the connection.
 */
export async function replyLongText(
  exchange: Exchange,
  services: SharedServices,
  { accessId, body, isRead, recheck = () => undefined, status, type = json }: LongResponse
): Promise<void> {
  const { method, res, state } = exchange
  // A single character outside of Latin-1 makes all of them take two bytes.
  const isAscii = Buffer.byteLength(body) === body.length
  const places = Math.ceil((body.length * (isAscii ? 1 : 2)) / bytesPerPlace)
  const release = await reserveSlot(exchange, services, { accessId, isRead, places })
  try {
    const refusal = await recheck()
    if (refusal) throw refusal.error
    res.setHeader('Content-Type', type)
    setMissingHeaders(res, state.headers)
    res.writeHead(status)
    if (method === 'HEAD') return void res.end()
    const outgoing = new ResponseWriter(exchange, services)
    await outgoing.sendChunks(cutText(body), recheck)
    await outgoing.waitUntilTaken()
  } finally {
    release()
  }
}

/** Sends a text, which may be empty. */
export function replyText({ res, state }: Exchange, status: number, text = '', type = plain): void {
  res.setHeader('Content-Type', type)
  res.setHeader('Content-Length', Buffer.byteLength(text))
  setMissingHeaders(res, state.headers)
  res.writeHead(status).end(text)
}

/** Sends headers without a body, such as a 304. */
export function replyNothing({ res, state }: Exchange, status: number): void {
  setMissingHeaders(res, state.headers)
  res.writeHead(status).end()
}
