/** Passes requests of other programs to the endpoint that answers in their format. */
import { createHash } from 'node:crypto'
import type { Credentials } from '../../core/call/credentials.js'
import type { Dispatcher } from '../../core/call/dispatcher.js'
import { isCachedByClient } from '../../core/call/outcome.js'
import type { ReadEndpoint } from '../read-endpoint.js'
import { maxShortLength, replyLongText, replyNothing, replyText } from './answer/reply.js'
import type { Exchange } from './exchange.js'
import { getCredentials } from './request/credentials.js'

/** Handles a request below one of the endpoint's roots, and sends the response. Errors: those that any call may have. */
export async function handleRead(
  exchange: Exchange,
  { services }: Dispatcher,
  endpoint: ReadEndpoint,
  ip: string
): Promise<void> {
  const { res, state } = exchange
  const { query, segments, user = '' } = state.address
  // Validators are those of the whole response, not of the calls that it is made of.
  const {
    ifNoneMatch,
    url: _url,
    ...credentials
  }: Credentials = getCredentials(exchange, services, { ip, via: 'http' })
  const form = Object.entries(Object(state.form?.body) as Record<string, string | readonly string[]>)
  const params = new Map<string, readonly string[]>()
  for (const [name, value] of [...query, ...form])
    params.set(name, [...(params.get(name) ?? []), ...(typeof value === 'string' ? [value] : value)])
  const verb = exchange.method === 'HEAD' ? 'GET' : exchange.method
  const { headers, status, text } = await endpoint.handle({ user, credentials, verb, segments, params })
  const { 'content-type': type, ...others } = headers
  for (const [name, value] of Object.entries(others)) res.setHeader(name, value)
  res.setHeader('Cache-Control', 'no-store')
  if (status === 200) {
    const validator = createHash('sha256').update(text).digest('base64url').slice(0, 22)
    res.setHeader('ETag', `W/"${validator}"`)
    if (ifNoneMatch !== undefined && isCachedByClient({ ifNoneMatch }, validator))
      return replyNothing(exchange, 304)
  }
  if (text.length <= maxShortLength) return replyText(exchange, status, text, type)
  await replyLongText(exchange, services, { status, body: text, type })
}
