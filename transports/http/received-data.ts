/** Passes the requests of apps and devices that send data on their own to their endpoint. */
import type { Dispatcher } from '../../core/call/dispatcher.js'
import { fail } from '../../core/errors.js'
import type { ReceiveEndpoint } from '../endpoints.js'
import { hasBody } from '../upgrades.js'
import { replyNothing, replyText } from './answer/reply.js'
import type { Exchange } from './exchange.js'
import type { Address } from './request/address.js'
import { needsReservation, readBinary } from './request/body.js'
import { reserveBody } from './request/credentials.js'

/** The first segment of the paths of Nightscout's API. User names are longer. */
const nightscoutRoot = 'api'

/**
 * Returns the path of a request after the endpoint's segment; `undefined` if the request is not one of an app. The API of
 * Nightscout is at the root of each user, and at the root of the service: many of its apps ignore the rest of an address.
 */
export function findReceivedPath(
  { segment }: ReceiveEndpoint,
  { segments, user }: Pick<Address, 'segments' | 'user'>
): string[] | undefined {
  if (segments[0] === segment && segments.length > 1) return segments.slice(1)
  const path = user === nightscoutRoot ? [user, ...segments] : segments
  return path[0] === nightscoutRoot && path.length > 1 ? ['nightscout', ...path] : undefined
}

/** Handles a request below the endpoint, and sends the response. Errors: those that any call may have. */
export async function handleReceived(
  exchange: Exchange,
  { services }: Dispatcher,
  receiver: ReceiveEndpoint,
  path: readonly string[],
  ip: string
): Promise<void> {
  const { req, res, state } = exchange
  const { query } = state.address
  const user = state.address.user === nightscoutRoot ? undefined : state.address.user
  const { headers, status, text } = await receiver.handle({
    user,
    verb: exchange.method,
    segments: path,
    query: toFirstValues(query),
    headers: toFirstValues(Object.entries(req.headers)),
    ip,
    readBody: async (caller, maxBytes) => {
      if (!hasBody(req)) return Buffer.alloc(0)
      if (needsReservation(req)) {
        // The token could now only be in the body, which is too large to be read for a stranger.
        if (caller.credentials.authorization === undefined)
          fail('invalid-access-token', 'The access token is missing')
        state.reservation = reserveBody(services, caller)
      }
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
