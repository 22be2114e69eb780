/** Passes the requests of apps and devices that send data on their own to their endpoint. */
import type { Dispatcher } from '../../core/call/dispatcher.js'
import type { ReceiveEndpoint } from '../receive-endpoint.js'
import { hasBody } from '../upgrades.js'
import { replyNothing, replyText } from './answer/reply.js'
import type { Exchange } from './exchange.js'
import { needsReservation, readBinary } from './request/body.js'
import { reserveBody } from './request/credentials.js'

/** Handles a request below the endpoint, and sends the response. Errors: those that any call may have. */
export async function handleReceived(
  exchange: Exchange,
  { services }: Dispatcher,
  receiver: ReceiveEndpoint,
  path: readonly string[],
  ip: string
): Promise<void> {
  const { req, res, state } = exchange
  const { query, user = '' } = state.address
  const { headers, status, text } = await receiver.handle({
    user,
    verb: exchange.method,
    segments: path,
    query: toFirstValues(query),
    headers: toFirstValues(Object.entries(req.headers)),
    ip,
    readBody: async (credentials, maxBytes) => {
      if (!hasBody(req)) return Buffer.alloc(0)
      if (needsReservation(req)) state.reservation = reserveBody(services, { user, credentials })
      return await readBinary(req, services, maxBytes, state.reservation)
    }
  })
  const { 'content-type': type, ...others } = headers
  for (const [name, value] of Object.entries(others)) res.setHeader(name, value)
  // The address may contain a token.
  res.setHeader('Cache-Control', 'no-store')
  if (status === 204 || status === 304) return replyNothing(exchange, status)
  replyText(exchange, status, text, type)
}

function toFirstValues(
  values: Iterable<readonly [string, string | readonly string[] | undefined]>
): Record<string, string> {
  const first: [string, string][] = []
  for (const [name, value] of values) {
    const text = typeof value === 'string' ? value : value?.[0]
    if (text !== undefined) first.push([name, text])
  }
  return Object.fromEntries(first)
}
