/** Passes messages to endpoints of other transports below the root of a user. */
import { fail } from '../../core/errors.js'
import type { Dispatcher } from '../../core/call/dispatcher.js'
import type { Credentials } from '../../core/call/credentials.js'
import type { UserEndpoint } from '../endpoints.js'
import { replyLongText, replyText, maxShortLength, waitIfUnread } from './answer/reply.js'
import type { Exchange } from './exchange.js'
import { buildChallenge } from './oauth/resource.js'
import { getMediaType, needsReservation, readJsonBody } from './request/body.js'
import { reserveBody, getCredentials } from './request/credentials.js'

/**
 * Authenticates the sender of a message, passes it to the endpoint, and sends the response. Errors: the errors that any
 * call may have, and 415 for a body that is not JSON.
 */
export async function handleMessage(
  exchange: Exchange,
  dispatcher: Dispatcher,
  endpoint: UserEndpoint,
  ip: string
): Promise<void> {
  const { method: verb, res, state } = exchange
  const { services } = dispatcher
  const user = state.address.user ?? ''
  const credentials = getCredentials(exchange, services, { ip, via: 'http' })
  const call = { user, method: 'getAccessInfo', credentials }
  const checked = await dispatcher.precheck(call)
  if (!checked.ok) {
    if (checked.error.status === 401) {
      res.setHeader('WWW-Authenticate', buildChallenge(exchange, services.config, endpoint.segment))
    }
    throw checked.error
  }
  const body = verb === 'POST' ? await readMessage(exchange, dispatcher, call) : undefined
  const { headers, isRead = false, status, text } = await endpoint.handle({ user, credentials, verb, body })
  for (const [name, value] of Object.entries(headers)) res.setHeader(name, value)
  res.setHeader('Cache-Control', 'no-store')
  const type = headers['content-type']
  if (text.length <= maxShortLength) {
    replyText(exchange, status, text, type)
    return await waitIfUnread(exchange, services)
  }
  // The memory of the body is released before the client has taken the response.
  state.reservation?.release()
  const recheck = (): ReturnType<Dispatcher['recheck']> => dispatcher.recheck({ ...call, params: {} })
  const { accessId } = checked
  await replyLongText(exchange, services, { accessId, isRead, recheck, status, body: text, type })
}

/** Reads the body. Its memory is released before a long response is sent, or after a short one. */
async function readMessage(
  { req, state }: Exchange,
  { services }: Dispatcher,
  call: { readonly user: string; readonly credentials: Credentials }
): Promise<unknown> {
  if (getMediaType(req) !== 'application/json')
    fail('unsupported-content-type', 'The body must be JSON (application/json)')
  if (needsReservation(req)) state.reservation = reserveBody(services, call)
  return await readJsonBody(req, services, state.reservation)
}
