/**
 * Sends short responses with one write, and without Node's checking and joining the same headers each time. Checking
 * and joining headers, and a second write, together take as long as a small query. Anything unusual is left to Node.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { hasBody } from '../../upgrades.js'

/**
 * A response head as Node has written it, without the lines that differ between responses and the date: those stand
 * between the two parts.
 */
interface Head {
  readonly before: string
  readonly after: string
}

/** Cached heads, by the headers that every response has and by status. */
const heads = new WeakMap<readonly string[], Map<number, Head | undefined>>()

/** Node's internals: the text of the head, and how it is sent together with the first part of the body. */
interface NodeInternals {
  _header?: string | null
  _send?: (data: string, encoding: BufferEncoding) => void
}

/** Characters that a response's own headers may contain without being checked by Node. */
const safeValue = /^[\w ;="./:-]*$/

/** A request, its response, and the headers that every response to it has. */
interface Exchange {
  readonly req: IncomingMessage
  readonly res: ServerResponse
  readonly state: { readonly headers: readonly string[] }
}

/**
 * Sends a complete response. `own`: headers to add to the headers of the exchange, names and values alternately. `encoding`:
 * the encoding of the body.
 */
export function sendInOneWrite(
  { req, res, state }: Exchange,
  status: number,
  own: readonly string[],
  body: string,
  encoding: 'latin1' | 'utf8'
): void {
  const cached = isCacheable(req, res) ? heads.get(state.headers) : undefined
  const lines = cached && formatLines(own)
  if (!cached || lines === undefined) {
    res.writeHead(status, [...state.headers, ...own]).end(body, encoding)
    return
  }
  const internals = res as NodeInternals
  const head = cached.get(status)
  if (head) {
    res.statusCode = status
    // oxlint-disable-next-line no-underscore-dangle -- Node offers no other way
    internals._header = `${head.before}${lines}${getDateLine()}${head.after}`
    // oxlint-disable-next-line no-underscore-dangle -- the same
    internals._send!(body, encoding)
    res.end()
    return
  }
  res.writeHead(status, [...state.headers, ...own])
  if (!cached.has(status)) cached.set(status, splitHead(internals, lines))
  res.end(body, encoding)
}

/** Enables caching of heads for responses with exactly these headers. */
export function cacheHeads(headers: readonly string[]): void {
  heads.set(headers, new Map())
}

/** Returns whether the head depends on the status and the given headers only. */
function isCacheable(req: IncomingMessage, res: ServerResponse): boolean {
  return (
    res.shouldKeepAlive &&
    req.httpVersionMinor === 1 &&
    req.method !== 'HEAD' &&
    // If a body has not arrived, the connection is closed.
    (req.complete || !hasBody(req)) &&
    req.headers.expect === undefined &&
    res.getHeaderNames().length === 0
  )
}

/** Formats headers as lines; returns `undefined` if Node has to check them. */
function formatLines(headers: readonly string[]): string | undefined {
  let lines = ''
  for (let i = 0; i < headers.length; i += 2) {
    const value = headers[i + 1]!
    if (!safeValue.test(value)) return undefined
    lines += `${headers[i]!}: ${value}\r\n`
  }
  return lines
}

/**
 * Returns the parts of the head that Node has written before and after these lines; `undefined` if the head has an
 * unexpected form.
 */
function splitHead({ _header: text, _send: send }: NodeInternals, lines: string): Head | undefined {
  if (typeof text !== 'string' || typeof send !== 'function') return undefined
  const [before, rest, ...others] = text.split(lines)
  const date = /^Date: [^\r\n]+\r\n/.exec(rest ?? '')
  if (before === undefined || !date || others.length > 0) return undefined
  return { before, after: rest!.slice(date[0].length) }
}

let dateSecond = 0
let date = ''

function getDateLine(): string {
  const nowMs = Date.now()
  const second = Math.floor(nowMs / 1000)
  if (second !== dateSecond) {
    dateSecond = second
    date = `Date: ${new Date(nowMs).toUTCString()}\r\n`
  }
  return date
}
