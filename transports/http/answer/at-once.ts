/**
 * Sends short responses with one write and without having Node check and join the same headers each time, which together
 * take as long as a small query. Whatever is not the usual case is left to Node.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { hasBody } from '../../upgrades.js'

/** A head as Node has written it, without what differs from response to response: that and the date stand in between. */
interface Head {
  readonly before: string
  readonly after: string
}

/** Heads by the headers that every response has, and by status. */
const heads = new WeakMap<readonly string[], Map<number, Head | undefined>>()

/** Node's internals: the text of the head, and how it is sent together with the first part of the body. */
interface NodeInternals {
  _header?: string | null
  _send?: (data: string, encoding: BufferEncoding) => void
}

/** Characters that an own header may have to be sent as it is; Node decides on others. */
const harmless = /^[\w ;="./:-]*$/

/** A request, its response, and the headers that every response to it has. */
interface Exchange {
  readonly req: IncomingMessage
  readonly res: ServerResponse
  readonly state: { readonly headers: readonly string[] }
}

/**
 * Sends a complete response. `own`: its own headers, besides those of the exchange, names and values alternately.
 * `encoding`: that of the body.
 */
export function sendAtOnce(
  { req, res, state }: Exchange,
  status: number,
  own: readonly string[],
  body: string,
  encoding: 'latin1' | 'utf8'
): void {
  const known = isUsual(req, res) ? heads.get(state.headers) : undefined
  const lines = known && linesOf(own)
  if (!known || lines === undefined) {
    res.writeHead(status, [...state.headers, ...own]).end(body, encoding)
    return
  }
  const internals = res as NodeInternals
  const head = known.get(status)
  if (head) {
    res.statusCode = status
    // oxlint-disable-next-line no-underscore-dangle -- Node offers no other way
    internals._header = `${head.before}${lines}${dateLine()}${head.after}`
    // oxlint-disable-next-line no-underscore-dangle -- the same
    internals._send!(body, encoding)
    res.end()
    return
  }
  res.writeHead(status, [...state.headers, ...own])
  if (!known.has(status)) known.set(status, headIn(internals, lines))
  res.end(body, encoding)
}

/** Has the heads of responses with exactly these headers kept. */
export function keepHeads(headers: readonly string[]): void {
  heads.set(headers, new Map())
}

/** Whether nothing but the status and the headers given decides on the head. */
function isUsual(req: IncomingMessage, res: ServerResponse): boolean {
  return (
    res.shouldKeepAlive &&
    req.httpVersionMinor === 1 &&
    req.method !== 'HEAD' &&
    // Where a body has not arrived, the connection is closed.
    (req.complete || !hasBody(req)) &&
    req.headers.expect === undefined &&
    res.getHeaderNames().length === 0
  )
}

/** The headers as lines; `undefined` if they have to be checked. */
function linesOf(headers: readonly string[]): string | undefined {
  let lines = ''
  for (let i = 0; i < headers.length; i += 2) {
    const value = headers[i + 1]!
    if (!harmless.test(value)) return undefined
    lines += `${headers[i]!}: ${value}\r\n`
  }
  return lines
}

/** What Node has written around these lines; `undefined` if that is not as expected. */
function headIn({ _header: text, _send: send }: NodeInternals, lines: string): Head | undefined {
  if (typeof text !== 'string' || typeof send !== 'function') return undefined
  const [before, rest, ...others] = text.split(lines)
  const date = /^Date: [^\r\n]+\r\n/.exec(rest ?? '')
  if (before === undefined || !date || others.length > 0) return undefined
  return { before, after: rest!.slice(date[0].length) }
}

let dateSecond = 0
let date = ''

function dateLine(): string {
  const nowMs = Date.now()
  const second = Math.floor(nowMs / 1000)
  if (second !== dateSecond) {
    dateSecond = second
    date = `Date: ${new Date(nowMs).toUTCString()}\r\n`
  }
  return date
}
