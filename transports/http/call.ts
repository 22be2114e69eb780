/** Turns routed requests into calls of the dispatcher, and outcomes into responses. */
import { getQuota } from '../../core/dispatch/quota.js'
import { ApiError, fail } from '../../core/errors.js'
import { getNetwork } from '../../core/security/network.js'
import {
  createRequest,
  type Failure,
  type Outcome,
  type Request,
  type Success
} from '../../core/call/outcome.js'
import { refuseUnknownUser } from '../../core/unknown-user.js'
import type { Dispatcher, SharedServices } from '../../core/call/dispatcher.js'
import { isOwnPage, pageHeader } from '../page-sessions.js'
import { hasBody as hasContent } from '../upgrades.js'
import { getMediaType, needsReservation, readJsonBody } from './request/body.js'
import { createClientAddressReader } from './request/client-address.js'
import type { Exchange } from './exchange.js'
import { hasBoundToken, proveCredentials, readProof } from './request/prove.js'
import { assertNoParams, acceptsBody, toRequestOutcome } from './request/params.js'
import { reply, replyText } from './answer/reply.js'
import { replyTable } from './answer/table.js'
import { getFirst } from './request/query.js'
import { setSsoCookie, applyPageSession } from './answer/sign-in-cookies.js'
import { sendFile } from './answer/download.js'
import { discardFiles, parseJsonPart, requireFilesOnly, receiveForm } from './request/upload.js'
import type { BodyKind, Route } from './route.js'
import type { PreparedRoute } from './prepared-route.js'
import type { Credentials } from '../../core/call/credentials.js'
import { reserveBody, getCredentials, getOperatorCredentials } from './request/credentials.js'

/** Calls the method of a route with the params of a request, and sends the response; synchronously if nothing has to wait. */
type RouteHandler = (
  exchange: Exchange,
  target: PreparedRoute,
  ids: Readonly<Record<string, string>> | undefined
) => Promise<void> | undefined

/** Bodies that may be multipart forms. */
const formKinds = new Set<BodyKind>(['event', 'files', 'form'])

/** Returns a function that serves routed HTTP requests. */
export function createRouteHandler(dispatcher: Dispatcher, via: Credentials['via'] = 'http'): RouteHandler {
  const { services } = dispatcher
  const getClientAddress = createClientAddressReader(services.config.http.trustedProxies)
  return (exchange, target, ids) => {
    const { address } = exchange.state
    if (target.isService && address.user !== undefined) assertUserExists(services, address.user)
    const ip = getClientAddress(exchange.req)
    const user = target.isByOwner ? ids?.['username']?.toLowerCase() : address.user
    const credentials = target.isForOperators
      ? getOperatorCredentials(exchange, services, { ip, via })
      : getCredentials(exchange, services, { ip, via, user })
    // Unlike for `Authorization`, caches may store responses to requests with a cookie.
    if (exchange.req.headers[pageHeader] !== undefined) exchange.res.setHeader('Cache-Control', 'no-store')
    const proof = readProof(exchange, services.config)
    const call = {
      user: address.user,
      method: target.method,
      credentials: proof ? { ...credentials, proof } : credentials
    }
    if (hasBoundToken(exchange) && !target.isForOperators)
      return proveCredentials(dispatcher, user, credentials, proof).then(proven =>
        callRouted(exchange, target, ids, { ...call, credentials: proven })
      )
    return callRouted(exchange, target, ids, call)
  }

  /** Makes a call without a body and replies, without waiting if the outcome is known at once. Others go to `callSpecial`. */
  function callRouted(
    exchange: Exchange,
    target: PreparedRoute,
    ids: Readonly<Record<string, string>> | undefined,
    call: Omit<Request, 'params'>
  ): Promise<void> | undefined {
    const { address } = exchange.state
    if (!target.isPlain || (target.verb === 'DELETE' && sendsBody(exchange)))
      return callSpecial({ exchange, dispatcher, call, target, ids })
    const outcome = dispatcher.call(createRequest(call, target.buildParams(address.query, ids, undefined)))
    return outcome instanceof Promise
      ? outcome.then(later => replyOutcome(exchange, services, later, target))
      : replyOutcome(exchange, services, outcome, target)
  }
}

/** A call to make for a request. */
interface RoutedCall {
  readonly exchange: Exchange
  readonly dispatcher: Dispatcher
  readonly call: Omit<Request, 'params'>
  readonly target: PreparedRoute
  readonly ids: Readonly<Record<string, string>> | undefined
}

/** Makes a call that needs more than its query: a check, a body, files, or a special response. */
async function callSpecial(routed: RoutedCall): Promise<void> {
  const { call, dispatcher, exchange, ids, target } = routed
  const { services } = dispatcher
  if (target.needsPrecheck) {
    const checked = await dispatcher.precheck(call)
    if (!checked.ok) return await reply(exchange, services, checked, checked.error.status)
  }
  const { query } = exchange.state.address
  if (target.customReply)
    return await target.customReply(
      exchange,
      dispatcher,
      createRequest(call, target.buildParams(query, ids, undefined))
    )
  if (target.responseKind === 'file') return await replyFileContent(routed)
  if (target.bodyKind !== undefined && formKinds.has(target.bodyKind) && isMultipart(exchange))
    return await handleUpload(routed)
  if (target.bodyKind === 'declared') assertJsonType(exchange)
  const outcome =
    acceptsBody(target.verb) || (target.verb === 'DELETE' && sendsBody(exchange))
      ? await callWithBody(routed)
      : await dispatcher.call(createRequest(call, target.buildParams(query, ids, undefined)))
  await replyOutcome(exchange, services, outcome, target)
}

function replyOutcome(
  exchange: Exchange,
  services: SharedServices,
  outcome: Outcome,
  target: PreparedRoute
): Promise<void> | undefined {
  if (target.isPrivate) exchange.res.setHeader('Cache-Control', 'no-store')
  return !outcome.ok || (!outcome.facts && target.cookie === undefined)
    ? reply(exchange, services, outcome, target.status)
    : replyByFacts(exchange, services, outcome, target)
}

/** Sends the response that the facts of a result require. */
async function replyByFacts(
  exchange: Exchange,
  services: SharedServices,
  outcome: Success,
  { responseKind, startsSession, cookie, status }: PreparedRoute
): Promise<void> {
  const { facts = {} } = outcome
  const { pendingWith200 } = services.config.services.mfa
  if (facts.isPending) return await reply(exchange, services, outcome, pendingWith200 ? 200 : 302)
  const { username = exchange.state.address.user ?? '' } = facts.signedIn ?? {}
  if (cookie) setSsoCookie(exchange, services.config, cookie, username)
  if ((cookie || startsSession) && isOwnPage(exchange.req.headers, services.config))
    return await reply(exchange, services, applyPageSession(exchange, services, outcome, username), status)
  if (responseKind === 'text') return replyText(exchange, 200, facts.text ?? '')
  if (responseKind === 'table' && facts.rows && getFirst(exchange.state.address.query, 'toHTML') === 'true')
    return replyTable(exchange, facts.rows)
  if (responseKind === 'redirect') redirect(exchange, facts.server ?? '')
  await reply(exchange, services, outcome, facts.code ?? status)
}

/**
 * Makes a call with a JSON body. Before a large body is read, the caller is authorized. The memory for the body is
 * released once the call has been made, not when the response has been read.
 */
async function callWithBody({ call, dispatcher, exchange, ids, target }: RoutedCall): Promise<Outcome> {
  const { services } = dispatcher
  const { req, state } = exchange
  if (!state.form && needsReservation(req)) {
    const checked = target.needsAccess ? await dispatcher.precheck(call) : undefined
    if (checked?.ok === false) throwUnread(exchange, services, checked)
    state.reservation = target.needsAccess
      ? reserveBody(services, call)
      : services.uploadBuffers.anonymous.admit(getNetwork(call.credentials.ip))
  }
  try {
    const body = state.form ? state.form.body : await readBody(exchange, services, target)
    delete state.form
    if (target.bodyKind === 'object') assertObject(body)
    if (!acceptsBody(target.verb)) assertNoParams(body)
    const request = createRequest(call, target.buildParams(state.address.query, ids, body))
    return toRequestOutcome(target.verb, await dispatcher.call(request))
  } finally {
    state.reservation?.release()
  }
}

/** Makes a call with files, and replies. The caller is authorized before anything is received. */
async function handleUpload(routed: RoutedCall): Promise<void> {
  const { call, dispatcher, exchange, target } = routed
  const { services } = dispatcher
  const checked = await dispatcher.precheck(call)
  if (!checked.ok) throwUnread(exchange, services, checked)
  await reply(exchange, services, await callWithFiles(routed, checked.room), target.status)
}

/** Refuses a call whose body has not been read. Throws, so that the connection stays open until the body has arrived. */
function throwUnread({ res }: Exchange, { config }: SharedServices, { accessId, error }: Failure): never {
  if (accessId !== undefined) res.setHeader(config.accessIdHeader, accessId)
  throw error
}

/** Receives the files, of `room` bytes at most, and makes the call. */
async function callWithFiles(
  { call, dispatcher, exchange: { req, state }, ids, target }: RoutedCall,
  room: number
): Promise<Outcome> {
  const { services } = dispatcher
  const reservation = reserveBody(services, call)
  const usage = services.uploadBuffers.forms.track(reservation.party.account)
  try {
    const account = services.accounts.find(call.user ?? '')
    const quota = account ? getQuota(services.config, account) : 0
    const form = await receiveForm(req, services, room, { usage, quota, reservation })
    try {
      const isBare = target.bodyKind === 'files' || (target.bodyKind === 'form' && form.texts.length === 0)
      const body = isBare
        ? requireFilesOnly(form)
        : await parseJsonPart(form, services.config.limits, reservation.party)
      const params = target.buildParams(state.address.query, ids, body)
      return await dispatcher.call({ ...call, params, files: form.files })
    } finally {
      await discardFiles(services, form.files)
    }
  } finally {
    usage.release()
    reservation.release()
  }
}

/** Makes a call whose response is the content of a file. */
async function replyFileContent({ call, dispatcher, exchange, ids = {} }: RoutedCall): Promise<void> {
  const { services } = dispatcher
  const { fileId = '', id = '' } = ids
  const token = getFirst(exchange.state.address.query, 'readToken')
  const credentials =
    token === undefined
      ? call.credentials
      : { ...call.credentials, readToken: { token, eventId: id, fileId } }
  const request = { ...call, params: { id, fileId }, credentials }
  const outcome = await dispatcher.call(request)
  const account = services.accounts.find(call.user ?? '')
  if (!outcome.ok || !account) return await reply(exchange, services, outcome, 200)
  if (outcome.accessId !== undefined) exchange.res.setHeader(services.config.accessIdHeader, outcome.accessId)
  const attachment = outcome.facts?.attachment ?? fail('unknown-resource')
  await sendFile(exchange, services, {
    accountId: account.id,
    accessId: outcome.accessId,
    attachment,
    recheck: () => dispatcher.recheck(request)
  })
}

/**
 * Throws `unknown-resource` for any path below the root of an unknown user.
 * (docs/spec/conventions.md#unknown-users-and-routes)
 */
export function assertUserExists(services: SharedServices, user: string): void {
  const { accounts } = services
  // Only callers with a valid token learn that an account is closed.
  if (!accounts.find(user) && accounts.getDeletionTime(user) === undefined) refuseUnknownUser(accounts, user)
}

/** Throws 400 `missing-header` or 415 unless the content type is JSON. (docs/spec/administration.md#creating-a-user) */
function assertJsonType(exchange: Exchange): void {
  const type = getMediaType(exchange.req)
  if (type === '') fail('missing-header', 'The header "Content-Type" is missing')
  if (type !== 'application/json')
    fail('unsupported-content-type', 'The body must be JSON (application/json)')
}

/** Reads the JSON body. A missing type and `text/plain` count as JSON, too. */
function readBody(exchange: Exchange, services: SharedServices, { bodyKind }: Route): Promise<unknown> {
  const type = getMediaType(exchange.req)
  if (type === 'multipart/form-data')
    fail('invalid-request-structure', 'This method does not accept a multipart body')
  if (type !== 'application/json' && type !== '' && type !== 'text/plain' && !type.endsWith('+json'))
    throw new ApiError(
      bodyKind === 'object' ? 'invalid-request-structure' : 'unsupported-content-type',
      'The body must be JSON (application/json)'
    )
  return readJsonBody(exchange.req, services, exchange.state.reservation)
}

function assertObject(body: unknown): void {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    fail('invalid-request-structure', 'The body must be a JSON object', { rule: 'object' })
}

/** Redirects the client to another server. (docs/spec/registration.md#finding-an-account) */
function redirect({ res, state }: Exchange, server: string): void {
  const username = state.address.segments[1] ?? ''
  res.setHeader('Location', `${server}?username=${encodeURIComponent(username)}`)
}

/** Returns whether a request has a body, or is a form that represents one. */
function sendsBody({ req, state }: Exchange): boolean {
  return state.form !== undefined || hasContent(req)
}

function isMultipart({ req }: Exchange): boolean {
  return getMediaType(req) === 'multipart/form-data'
}
