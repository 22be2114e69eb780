/** From a routed request to the dispatcher and back. */
import { ApiError, fail } from '../../core/errors.js'
import { networkOf } from '../../core/security/network.js'
import {
  withParams,
  type Failure,
  type Outcome,
  type Request,
  type Success
} from '../../core/call/outcome.js'
import { unknownUser } from '../../core/unknown-user.js'
import type { Dispatcher, SharedServices } from '../../core/call/dispatcher.js'
import { mediaType, needsRoom, readJsonText, readText } from './request/body.js'
import { clientAddress } from './request/client-address.js'
import type { Exchange } from './exchange.js'
import { replyExport } from './answer/export.js'
import { hasBody, inTermsOf, paramsFor, type ParamsOf } from './request/params.js'
import { replyPreview } from './answer/preview.js'
import { reply, replyText } from './answer/reply.js'
import { replyTable } from './answer/table.js'
import { firstOf } from './request/query.js'
import { setCookie } from './answer/cookie.js'
import { sendFile } from './answer/download.js'
import { discardFiles, Holding, jsonPart, noText, receiveForm } from './request/upload.js'
import type { Route } from './routes.js'
import type { Credentials } from '../../core/call/credentials.js'

/** A route, ready to be called. */
export interface Target extends Route {
  readonly paramsOf: ParamsOf
  /** Whether the method belongs to the service, not to the user below whom it is reached. */
  readonly isService: boolean
  /** Whether who may not call it is told so before its body is looked at. */
  readonly isGuarded: boolean
  /** Whether it takes an access. */
  readonly needsAccess: boolean
}

/** Calls the method of a route with what the request says. */
export type CallTarget = (
  exchange: Exchange,
  target: Target,
  ids: Readonly<Record<string, string>> | undefined
) => Promise<void>

/** A function that makes routes ready for being called. */
export function targetsOf(dispatcher: Dispatcher): (route: Route) => Target {
  const methods = new Map(dispatcher.definitions.map(definition => [definition.id, definition]))
  return route => {
    const method = methods.get(route.method)
    const isService = method?.mode === 'service'
    const isGuarded = isService && method.allow.isByCredentials === true
    const needsAccess = method?.allow.needsAccess ?? false
    return { ...route, paramsOf: paramsFor(route.verb, method), isService, isGuarded, needsAccess }
  }
}

/** A function that makes the calls of HTTP requests. */
export function callTarget(dispatcher: Dispatcher, via: Credentials['via'] = 'http'): CallTarget {
  const { core } = dispatcher
  const addressOfClient = clientAddress(core.config.http.trustedProxies)
  return async (exchange, target, ids) => {
    const { address } = exchange.state
    if (target.isService && address.user !== undefined) mustBeUser(core, address.user)
    const credentials = credentialsOf(exchange, addressOfClient(exchange.req), via)
    const call = { user: address.user, method: target.method, credentials }
    if (target.isGuarded) {
      const refusal = await dispatcher.precheck(call)
      if (refusal) return await reply(exchange, core, refusal, refusal.error.status)
    }
    if (target.answers === 'preview' || target.answers === 'export') {
      const request = withParams(call, target.paramsOf(address.query, ids, undefined))
      return await (target.answers === 'preview' ? replyPreview : replyExport)(exchange, dispatcher, request)
    }
    if (target.answers === 'file') return await download(exchange, dispatcher, call, ids)
    if ((target.takes === 'event' || target.takes === 'files') && isMultipart(exchange))
      return await upload(exchange, dispatcher, call, target, ids)
    if (target.takes === 'declared') mustBeJson(exchange)
    const called = hasBody(target.verb)
      ? callWithBody(exchange, dispatcher, call, target, ids)
      : dispatcher.call(withParams(call, target.paramsOf(address.query, ids, undefined)))
    const outcome = called instanceof Promise ? await called : called
    if (target.isPrivate) exchange.res.setHeader('Cache-Control', 'no-store')
    if (!outcome.ok || (!outcome.facts && target.cookie === undefined))
      return await reply(exchange, core, outcome, target.status)
    await replyByFacts(exchange, core, outcome, target)
  }
}

/** Answers as the facts of a result say. */
async function replyByFacts(
  exchange: Exchange,
  core: SharedServices,
  outcome: Success,
  { answers, cookie, status }: Target
): Promise<void> {
  const { facts = {} } = outcome
  const { pendingWith200 } = core.config.services.mfa
  if (facts.isPending) return await reply(exchange, core, outcome, pendingWith200 ? 200 : 302)
  if (cookie) setCookie(exchange, core.config, cookie)
  if (answers === 'text') return replyText(exchange, 200, facts.text ?? '')
  if (answers === 'table' && facts.rows && firstOf(exchange.state.address.query, 'toHTML') === 'true')
    return replyTable(exchange, facts.rows)
  if (answers === 'redirect') redirect(exchange, facts.server ?? '')
  await reply(exchange, core, outcome, facts.code ?? status)
}

/**
 * A call with a JSON body. Who may not call at all is told so before a large one is read. What it holds is let go of when the
 * call has been made, not when its answer has been taken.
 */
async function callWithBody(
  exchange: Exchange,
  dispatcher: Dispatcher,
  call: Omit<Request, 'params'>,
  target: Target,
  ids: Readonly<Record<string, string>> | undefined
): Promise<Outcome> {
  const { core } = dispatcher
  const { req, state } = exchange
  if (!state.form && needsRoom(req)) {
    const refusal = target.needsAccess ? await dispatcher.precheck(call) : undefined
    if (refusal) refuseUnread(exchange, core, refusal)
    const { known, strangers } = core.intakes
    state.ticket = target.needsAccess
      ? known.begin(call.user ?? '', tokenOf(call))
      : strangers.begin(networkOf(call.credentials.ip))
  }
  try {
    const body = state.form ? state.form.body : await readBody(exchange, core, target)
    delete state.form
    if (target.takes === 'object') mustBeObject(body)
    const request = withParams(call, target.paramsOf(state.address.query, ids, body))
    return inTermsOf(target.verb, await dispatcher.call(request))
  } finally {
    state.ticket?.leave()
  }
}

/** A call that brings files. Who may not call at all is told so before anything is taken in. */
async function upload(
  exchange: Exchange,
  dispatcher: Dispatcher,
  call: Omit<Request, 'params'>,
  target: Target,
  ids: Readonly<Record<string, string>> | undefined
): Promise<void> {
  const { core } = dispatcher
  const admitted = await dispatcher.admitUpload(call)
  if (!admitted.ok) refuseUnread(exchange, core, admitted)
  const { room } = admitted
  await reply(
    exchange,
    core,
    await callWithFiles(exchange, dispatcher, call, room, target, ids),
    target.status
  )
}

/** Refuses a call of which the body has not been read: raised, since the line has to stay open until it has come. */
function refuseUnread({ res }: Exchange, { config }: SharedServices, { accessId, error }: Failure): never {
  if (accessId !== undefined) res.setHeader(config.accessIdHeader, accessId)
  throw error
}

async function callWithFiles(
  { req, state }: Exchange,
  dispatcher: Dispatcher,
  call: Omit<Request, 'params'>,
  room: number,
  target: Target,
  ids: Readonly<Record<string, string>> | undefined
): Promise<Outcome> {
  const { core } = dispatcher
  const ticket = core.intakes.known.begin(call.user ?? '', tokenOf(call))
  const holding = new Holding(core, call.user ?? '')
  try {
    const form = await receiveForm(req, core, room, { holding, ticket })
    try {
      const body = target.takes === 'files' ? noText(form) : await jsonPart(form, core.config.limits)
      const params = target.paramsOf(state.address.query, ids, body)
      return await dispatcher.call({ ...call, params, files: form.files })
    } finally {
      await discardFiles(core, form.files)
    }
  } finally {
    holding.leave()
    ticket.leave()
  }
}

/** A call that is answered by the bytes of a file. */
async function download(
  exchange: Exchange,
  dispatcher: Dispatcher,
  call: Omit<Request, 'params'>,
  ids: Readonly<Record<string, string>> = {}
): Promise<void> {
  const { core } = dispatcher
  const { fileId = '', id = '' } = ids
  const token = firstOf(exchange.state.address.query, 'readToken')
  const credentials =
    token === undefined
      ? call.credentials
      : { ...call.credentials, readToken: { token, eventId: id, fileId } }
  const request = { ...call, params: { id, fileId }, credentials }
  const outcome = await dispatcher.call(request)
  const account = core.accounts.find(call.user ?? '')
  if (!outcome.ok || !account) return await reply(exchange, core, outcome, 200)
  if (outcome.accessId !== undefined) exchange.res.setHeader(core.config.accessIdHeader, outcome.accessId)
  const attachment = outcome.facts?.attachment ?? fail('unknown-resource')
  await sendFile(exchange, core, {
    accountId: account.id,
    accessId: outcome.accessId,
    attachment,
    recheck: () => dispatcher.recheck(request)
  })
}

/** Nothing below the root of an unknown user is found. (docs/spec/conventions.md#unknown-users-and-routes) */
export function mustBeUser(core: SharedServices, user: string): void {
  if (!core.accounts.find(user)) unknownUser(core.accounts, user)
}

const reading = new Set(['GET', 'HEAD'])

function credentialsOf(exchange: Exchange, ip: string, via: Credentials['via']): Credentials {
  const { headers } = exchange.req
  const credentials: { -readonly [K in keyof Credentials]: Credentials[K] } = { headers, ip, via }
  const authorization = exchange.state.form?.authorization ?? headers.authorization
  const { query } = exchange.state.address
  const auth = firstOf(query, 'auth')
  if (query.size > 0) credentials.query = query
  if (authorization !== undefined) credentials.authorization = authorization
  if (auth !== undefined) credentials.auth = auth
  if (headers.origin !== undefined) credentials.origin = headers.origin
  if (headers.referer !== undefined) credentials.referer = headers.referer
  const ifNoneMatch = headers['if-none-match']
  if (ifNoneMatch !== undefined && reading.has(exchange.method)) credentials.ifNoneMatch = ifNoneMatch
  return credentials
}

/** What tells the accesses of an account apart. */
function tokenOf({ credentials }: Pick<Request, 'credentials'>): string {
  return credentials.authorization ?? credentials.auth ?? ''
}

/** Refuses a body of another type, or of none: 400 `missing-header`, 415. (docs/spec/administration.md#creating-a-user) */
function mustBeJson(exchange: Exchange): void {
  const type = mediaType(exchange.req)
  if (type === '') fail('missing-header', 'The header "Content-Type" is missing')
  if (type !== 'application/json')
    fail('unsupported-content-type', 'The body has to be JSON (application/json)')
}

/** The JSON body. Callers that name no type, or plain text, mean JSON too. */
async function readBody(exchange: Exchange, core: SharedServices, { takes }: Route): Promise<unknown> {
  const type = mediaType(exchange.req)
  if (type === 'multipart/form-data') fail('invalid-request-structure', 'This method takes no multipart body')
  if (type !== 'application/json' && type !== '' && type !== 'text/plain' && !type.endsWith('+json'))
    throw new ApiError(
      takes === 'object' ? 'invalid-request-structure' : 'unsupported-content-type',
      'The body has to be JSON (application/json)'
    )
  const text = await readText(exchange.req, core, exchange.state.ticket)
  return await readJsonText(text, core.config.limits)
}

function mustBeObject(body: unknown): void {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    fail('invalid-request-structure', 'The body has to be a JSON object', { rule: 'object' })
}

/** Sends the client to a server. (docs/spec/registration.md#finding-an-account) */
function redirect({ res, state }: Exchange, server: string): void {
  const username = state.address.segments[1] ?? ''
  res.setHeader('Location', `${server}?username=${encodeURIComponent(username)}`)
}

function isMultipart({ req }: Exchange): boolean {
  return mediaType(req) === 'multipart/form-data'
}
