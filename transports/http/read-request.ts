/** Passes requests of other programs to the endpoint that answers in their format. */
import { createHash } from 'node:crypto'
import type { Credentials } from '../../core/call/credentials.js'
import type { Dispatcher } from '../../core/call/dispatcher.js'
import { isCachedByClient } from '../../core/call/outcome.js'
import { fail, quoteText, type ApiError } from '../../core/errors.js'
import type { Config } from '../../core/settings/config.js'
import { nextTurn } from '../../storage/steps.js'
import type { ReadEndpoint } from '../endpoints.js'
import { UserCalls } from '../user-calls.js'
import {
  maxShortLength,
  replyLongText,
  replyNothing,
  replyText,
  setErrorHeaders,
  waitIfUnread
} from './answer/reply.js'
import { watchClient, type Exchange } from './exchange.js'
import { unknownAddress } from './request/address.js'
import { getCredentials } from './request/credentials.js'
import { getMaxValues } from './request/query.js'
import { hasBoundToken, proveCredentials, readProof } from './request/prove.js'

/**
 * Handles a request below one of the endpoint's roots, and sends the response; none once the client has disconnected. A long one stops
 * once the access has ended. Errors: those that any call may have. Sends 304 if the client has the same response.
 */
export async function handleRead(
  exchange: Exchange,
  dispatcher: Dispatcher,
  endpoint: ReadEndpoint,
  ip: string
): Promise<void> {
  const { services } = dispatcher
  const { res, state } = exchange
  const { query, segments, user = '' } = state.address
  // Validators are those of the whole response, not of the calls that it is made of.
  const {
    ifNoneMatch,
    url: _url,
    ...presented
  }: Credentials = getCredentials(exchange, services, { ip, via: 'http' })
  const proof = readProof(exchange, services.config)
  const credentials = hasBoundToken(exchange)
    ? await proveCredentials(dispatcher, user, presented, proof)
    : presented
  const form = Object.entries(Object(state.form?.body) as Record<string, unknown>)
  const params = new Map<string, readonly string[]>()
  // The form comes first, as in other programs that take the first value.
  const max = getMaxValues(services.config.limits)
  for (const [name, value] of [...form, ...query])
    params.set(name, [...(params.get(name) ?? []), ...toTexts(name, value, max)])
  const verb = exchange.method === 'HEAD' ? 'GET' : exchange.method
  const signal = watchClient(exchange)
  const calls = new UserCalls(dispatcher, user, credentials, signal)
  const request = { user, calls, credentials, verb, segments, params, signal }
  const answer = await endpoint.handle(request).catch((error: unknown) => {
    // The client has disconnected, which is no failure.
    if (signal.aborted && error === signal.reason) return undefined
    throw error
  })
  if (!answer) return
  const { headers, status, text } = answer
  const { 'content-type': type, ...others } = headers
  for (const [name, value] of Object.entries(others)) res.setHeader(name, value)
  res.setHeader('Cache-Control', 'no-store')
  if (status === 200) {
    const validator = await computeValidator(text)
    res.setHeader('ETag', `W/"${validator}"`)
    if (ifNoneMatch !== undefined && isCachedByClient({ ifNoneMatch }, validator))
      return replyNothing(exchange, 304)
  }
  if (text.length <= maxShortLength) {
    replyText(exchange, status, text, type)
    return await waitIfUnread(exchange, services)
  }
  const { accessId } = calls
  const recheck = (): ReturnType<Dispatcher['recheck']> =>
    dispatcher.recheck({ user, method: 'getAccessInfo', params: {}, credentials })
  try {
    await replyLongText(exchange, services, {
      accessId,
      body: text,
      isRead: true,
      // Without an access, it is public.
      recheck: accessId === undefined ? undefined : recheck,
      status,
      type
    })
  } catch (error) {
    if (!res.headersSent) res.removeHeader('ETag')
    throw error
  }
}

/**
 * Returns the values of a parameter. Throws `invalid-request-structure` for other values than texts, and for more than `max`: a form
 * can hold both as JSON.
 */
function toTexts(name: string, value: unknown, max: number): readonly string[] {
  const all: readonly unknown[] = Array.isArray(value) ? value : [value]
  if (all.length > max)
    fail('invalid-request-structure', `The parameter ${quoteText(name)} can have at most ${max} values`)
  return all.map(each =>
    typeof each === 'string'
      ? each
      : fail('invalid-request-structure', `The parameter ${quoteText(name)} must be a text`)
  )
}

/** Number of characters of a response that are hashed in one turn. */
const hashedAtOnce = 1024 * 1024

/** Returns the validator of a response. Others have their turn while a long one is hashed. */
async function computeValidator(text: string): Promise<string> {
  const hash = createHash('sha256')
  for (let from = 0; from < text.length; from += hashedAtOnce) {
    if (from > 0) await nextTurn()
    // UTF-16: any cut is at the end of a character.
    hash.update(text.slice(from, from + hashedAtOnce), 'utf16le')
  }
  return hash.digest('base64url').slice(0, 22)
}

/**
 * Returns the endpoint below whose roots a request is, if that endpoint describes errors in its own form.
 * Returns `undefined` for other requests.
 */
export function findErrorFormat(
  { req, state }: Exchange,
  readers: readonly ReadEndpoint[],
  { domain }: Pick<Config, 'domain'>
): ReadEndpoint | undefined {
  const roots =
    state.address === unknownAddress
      ? // The address is malformed: its first parts may still be legible.
        (req.url ?? '').split(/[/?]/, 3).slice(domain === '' ? 2 : 1)
      : state.address.user === undefined
        ? []
        : state.address.segments.slice(0, 1)
  return readers.find(reader => reader.describeError && roots.some(root => reader.roots.includes(root)))
}

/** Sends an error in the form of an endpoint. */
export function replyReadError(exchange: Exchange, endpoint: ReadEndpoint, error: ApiError): void {
  const { headers, status, text } = endpoint.describeError!(error)
  const { 'content-type': type, ...others } = headers
  for (const [name, value] of Object.entries(others)) exchange.res.setHeader(name, value)
  exchange.res.setHeader('Cache-Control', 'no-store')
  setErrorHeaders(exchange, error)
  replyText(exchange, status, text, type)
}
