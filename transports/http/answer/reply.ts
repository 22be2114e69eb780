/** Outcomes as HTTP answers: status, headers, body, `meta` in every one of them. (docs/spec/conventions.md#response-envelope; docs/spec/errors.md#error-object) */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Exchange } from '../exchange.js'
import { setMissing } from './headers.js'
import { metaMember } from '../../../core/envelope.js'
import type { ApiError } from '../../../core/errors.js'
import { members } from '../../../core/json/json-text.js'
import type { SharedServices } from '../../../core/call/dispatcher.js'
import type { Leave } from '../../../core/security/long-answers.js'
import type { Outcome, Success } from '../../../core/call/outcome.js'
import { Outgoing } from './outgoing.js'

const json = 'application/json; charset=utf-8'
const plain = 'text/plain; charset=utf-8'

/** Characters of an answer up to which it is sent without further ado. */
export const short = 64 * 1024

/** Answers an outcome; `status` is that of success. A long answer takes until it has been taken. */
export function reply(
  exchange: Exchange,
  core: SharedServices,
  outcome: Outcome,
  status: number
): Promise<void> | undefined {
  const { req, res } = exchange
  const { accessId, ok } = outcome
  if (!ok) {
    if (accessId !== undefined) res.setHeader(core.config.accessIdHeader, accessId)
    replyError(exchange, core, outcome.error)
    return undefined
  }
  if (outcome.isUnchanged) return replyUnchanged(exchange, core, outcome)
  if (outcome.remainder || outcome.members.length > short) return replyLong(exchange, core, outcome, status)
  if (outcome.cut !== undefined) return replyInPieces(exchange, core, outcome, status)
  replyWhole(exchange, core, outcome, status)
  // Who takes not even that holds a connection.
  return req.socket.writableLength > 0 ? new Outgoing(exchange, core).taken() : undefined
}

/** Answers a result that is there as a whole. */
function replyWhole(exchange: Exchange, core: SharedServices, outcome: Success, status: number): void {
  const { extraBytes: excess, members: text } = outcome
  const meta = metaMember(core.config, core.clock.now())
  const body = text === '' ? `{${meta}}` : `{${text},${meta}}`
  // What is around the members is ASCII.
  const length = excess === undefined ? Buffer.byteLength(body) : body.length + excess
  const headers = jsonHeaders(exchange, core, outcome)
  headers.push('Content-Length', String(length))
  // ASCII alone is the same bytes in Latin-1, which are copied without a look at each character.
  exchange.res.writeHead(status, headers).end(body, length === body.length ? 'latin1' : 'utf8')
}

/** Answers a result that is there as a whole, in two pieces: each goes out by itself, for clients that tell them apart. */
async function replyInPieces(
  exchange: Exchange,
  core: SharedServices,
  outcome: Success,
  status: number
): Promise<void> {
  const { cut, members: text } = outcome
  const { res } = exchange
  res.writeHead(status, jsonHeaders(exchange, core, outcome))
  res.write(`{${text.slice(0, cut)}`)
  await nextTurn()
  res.end(`${text.slice(cut)},${metaMember(core.config, core.clock.now())}}`)
  await new Outgoing(exchange, core).taken()
}

/** Answers that the client has the answer already. */
function replyUnchanged(exchange: Exchange, core: SharedServices, outcome: Success): undefined {
  const { res, state } = exchange
  res.writeHead(304, [...state.headers, ...ownHeaders(exchange, core, outcome)]).end()
}

/** In one list: setting them one by one costs a tenth of a small call. */
function jsonHeaders(exchange: Exchange, core: SharedServices, outcome: Success): string[] {
  return [...exchange.state.headers, 'Content-Type', json, ...ownHeaders(exchange, core, outcome)]
}

/**
 * What tells of the access, and the answer from others. The tag is weak, as the time in `meta` is another each time. Caches
 * that ask by themselves are to keep nothing: it is people's data, and clients set their clocks by that time.
 */
function ownHeaders(
  { req }: Exchange,
  { config }: SharedServices,
  { accessId, validator }: Success
): string[] {
  const headers: string[] = []
  if (accessId !== undefined) headers.push(config.accessIdHeader, accessId)
  if (validator !== undefined) {
    headers.push('ETag', `W/"${validator}"`, 'Cache-Control', 'no-store')
    // Only scripts of pages have to be allowed to see it.
    if (req.headers.origin !== undefined) headers.push('Access-Control-Expose-Headers', 'ETag')
  }
  return headers
}

/**
 * Finds a place for a long answer. Only reading can be refused: what has been written is told as soon as there is a place, or
 * not at all to somebody who takes none of all his other answers.
 */
export async function placeFor(
  exchange: Exchange,
  core: SharedServices,
  accessId: string | undefined
): Promise<Leave> {
  const { method, req, state } = exchange
  const address = req.socket.remoteAddress ?? ''
  const taker = { user: state.address.user ?? address, access: accessId ?? address }
  try {
    return core.longAnswers.take(taker) ?? (await core.longAnswers.wait(taker))
  } catch (error) {
    if (method !== 'GET' && method !== 'HEAD') new Outgoing(exchange, core).cut()
    throw error
  }
}

async function replyLong(
  exchange: Exchange,
  core: SharedServices,
  outcome: Success,
  status: number
): Promise<void> {
  const { accessId, members: text, remainder: rest } = outcome
  let leave: Leave | undefined
  try {
    leave = await placeFor(exchange, core, accessId)
    const outgoing = new Outgoing(exchange, core)
    if (rest) {
      exchange.res.writeHead(status, jsonHeaders(exchange, core, outcome))
      if (exchange.method === 'HEAD') exchange.res.end()
      else await outgoing.sendText(`{${text}`, rest, () => `,${metaMember(core.config, core.clock.now())}}`)
    } else replyWhole(exchange, core, outcome, status)
    await outgoing.taken()
  } finally {
    leave?.()
    await rest?.return()
  }
}

/** Answers an error. */
export function replyError(exchange: Exchange, core: SharedServices, error: ApiError): void {
  const { retryAfter, location, beside } = error.details
  const { res } = exchange
  if (retryAfter !== undefined) res.setHeader('Retry-After', String(Math.ceil(retryAfter)))
  if (location !== undefined) res.setHeader('Location', location)
  const body = `{${members({ error, ...beside })},${metaMember(core.config, core.clock.now())}}`
  replyText(exchange, error.status, body, json)
}

/** Answers a text, empty or not. */
export function replyText({ res, state }: Exchange, status: number, text = '', type = plain): void {
  res.setHeader('Content-Type', type)
  res.setHeader('Content-Length', Buffer.byteLength(text))
  setMissing(res, state.headers)
  res.writeHead(status).end(text)
}

/** Answers with headers alone, such as those of a file that has not changed. */
export function replyNothing({ res, state }: Exchange, status: number): void {
  setMissing(res, state.headers)
  res.writeHead(status).end()
}
