/** Outcomes as HTTP answers: status, headers, body, `meta` in every one of them. (service.md, General conventions 4, Errors) */
import type { ServerResponse } from 'node:http'
import type { Exchange } from './context.js'
import { setMissing } from './headers.js'
import { metaMember } from '../../core/envelope.js'
import type { ApiError } from '../../core/errors.js'
import { members } from '../../core/json.js'
import type { GatewayCore } from '../../core/gateway.js'
import type { Outcome } from '../../core/outcome.js'

const json = 'application/json; charset=utf-8'
const plain = 'text/plain; charset=utf-8'

/** Answers an outcome; `status` is that of success. A long answer takes until it has been taken. */
export function reply(
  exchange: Exchange,
  core: GatewayCore,
  outcome: Outcome,
  status: number
): Promise<void> | undefined {
  const { res, state } = exchange
  const { accessId, ok } = outcome
  if (!ok) {
    if (accessId !== undefined) res.setHeader(core.config.accessIdHeader, accessId)
    replyError(exchange, core, outcome.error)
    return undefined
  }
  const { excess, members: text, rest } = outcome
  const meta = metaMember(core.config, core.clock.now())
  // In one list: setting them one by one costs a tenth of a small call.
  const headers = [...state.headers, 'Content-Type', json]
  if (accessId !== undefined) headers.push(core.config.accessIdHeader, accessId)
  if (rest) {
    res.writeHead(status, headers)
    return replyStreamed(exchange, `{${text}`, rest, `,${meta}}`)
  }
  const body = text === '' ? `{${meta}}` : `{${text},${meta}}`
  // What is around the members is ASCII.
  const length = excess === undefined ? Buffer.byteLength(body) : body.length + excess
  headers.push('Content-Length', String(length))
  // ASCII alone is the same bytes in Latin-1, which are copied without a look at each character.
  res.writeHead(status, headers).end(body, length === body.length ? 'latin1' : 'utf8')
  return undefined
}

/** Answers an error. */
export function replyError(exchange: Exchange, core: GatewayCore, error: ApiError): void {
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

/** Writes a long answer as it is made. */
async function replyStreamed(
  { method, res }: Exchange,
  first: string,
  rest: AsyncGenerator<string, void, undefined>,
  last: string
): Promise<void> {
  if (method === 'HEAD') {
    await rest.return()
    res.end()
    return
  }
  try {
    await write(res, first)
    for await (const text of rest) {
      await write(res, text)
      // Leaving the loop releases what the rest holds.
      if (res.destroyed) return
    }
    res.end(last)
  } catch (error) {
    // Half of the answer is out: cutting the line is the only way to say that the rest will not come.
    res.destroy()
    throw error
  }
}

/** Writes one text, whole characters that is, and waits until there is room for more or nobody listens any longer. */
function write(res: ServerResponse, text: string): Promise<void> | undefined {
  if (res.write(text) || res.destroyed) return undefined
  return new Promise(resolve => {
    const done = (): void => {
      res.off('drain', done).off('close', done)
      resolve()
    }
    res.on('drain', done).on('close', done)
  })
}
