/** The request listener: calls that name a user are served directly, everything else goes through Koa and its router. */
import type { IncomingMessage, RequestListener } from 'node:http'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { Router } from '@koa/router'
import Koa from 'koa'
import type { Log } from '../../core/log.js'
import { addressOf, nobody } from './request/address.js'
import { discard, mediaType, needsRoom, readText } from './request/body.js'
import { clientAddress } from './request/client-address.js'
import type { Exchange, State } from './exchange.js'
import { formCall } from './request/form.js'
import { commonHeaders, setMissing, type Headers } from './answer/headers.js'
import { isAuthorization, isOfOAuth, replyOAuthError } from './oauth/reply.js'
import { createFront, type Front } from './pages/front.js'
import { serviceRouter, type Offer } from './service-routes.js'
import { hasBody } from './request/params.js'
import { reply, replyError, replyText } from './answer/reply.js'
import { userDispatch, type AnswerUser } from './user-routes.js'
import { ApiError, fail } from '../../core/errors.js'
import { joinMembers } from '../../core/json/json-text.js'
import type { Dispatcher } from '../../core/call/dispatcher.js'
import { failureOf } from '../../core/call/outcome.js'
import { getNetwork } from '../../core/security/network.js'
import { hasBody as sendsBody } from '../upgrades.js'

type GetClientAddress = ReturnType<typeof clientAddress>

/** Error codes that mean that the client has disconnected. */
const disconnectCodes = new Set(['ECONNRESET', 'EPIPE', 'ERR_STREAM_PREMATURE_CLOSE'])

/** Returns a listener for Node's `request` event that serves the API and the pages. */
export function createApp(dispatcher: Dispatcher, offer: Offer): RequestListener {
  const front = createFront(dispatcher.services.config, offer.pages)
  return createListener(
    dispatcher,
    userDispatch(dispatcher, 'http', { endpoint: offer.endpoint, front }),
    serviceRouter(dispatcher, { ...offer, front }),
    front
  )
}

/** Returns the listener of the port that serves series only. (docs/spec/series.md#separate-port) */
export function createSeriesApp(dispatcher: Dispatcher): RequestListener {
  const status = new Router<State>().get('/system/status', ctx =>
    reply(ctx, dispatcher.services, { ok: true, members: joinMembers({ status: 'ok' }) }, 200)
  )
  return createListener(dispatcher, userDispatch(dispatcher, 'hf'), status)
}

function createListener(
  dispatcher: Dispatcher,
  answerUser: AnswerUser,
  router: Router<State>,
  front?: Front
): RequestListener {
  const { config } = dispatcher.services
  const getClientAddress = clientAddress(config.http.trustedProxies)
  const getHeaders = commonHeaders(config)
  const serve = createServiceApp(dispatcher, router, { getHeaders, getClientAddress, front }).callback()

  const answer = async (exchange: Exchange): Promise<void> => {
    const { req, res, state } = exchange
    try {
      // CORS preflight: every origin is allowed, since the token decides what a caller may do.
      if (req.method === 'OPTIONS') return replyText(exchange, 200)
      state.address = addressOf(req.url ?? '/', req.headers.host, config)
      if (state.address.user === undefined) return await serve(req, res)
      if (isForm(req)) await readFormCall(exchange, dispatcher, getClientAddress)
      const answered = answerUser(exchange)
      // Most reads have been answered by now, and an await takes as long as identifying the caller.
      if (answered) await answered
    } catch (error) {
      // Even without a body, Node sees the end of a request only after its listener has returned.
      await Promise.resolve()
      // Part of the response has been sent, so the error can only be logged.
      if (res.headersSent) logFailure(dispatcher.services.log, error)
      else await replyFailure(exchange, dispatcher, error, state.address === nobody ? front : undefined)
    } finally {
      state.ticket?.release()
    }
    // After a synchronous response, Node sees the end of the request later, even without a body.
    if (!req.complete && sendsBody(req)) discard(req, config.limits.bodyTimeout)
  }

  return (req, res) => {
    const begin = (): void =>
      void answer({
        req,
        res,
        method: req.method ?? 'GET',
        state: { headers: getHeaders(req), address: nobody }
      })
    // Pipelined requests are handled one by one: otherwise, responses would collect in memory until the client has read the
    // first. Node assigns the socket once the previous response has been sent.
    if (!res.socket) res.once('socket', begin)
    // The body is not read. In the next turn, Node has parsed what arrived with the headers, so the connection may stay open.
    else if (sendsBody(req) && !hasBody(req.method ?? '')) setImmediate(begin)
    else begin()
  }
}

interface ServiceAppOptions {
  readonly getHeaders: (request: IncomingMessage) => Headers
  readonly getClientAddress: GetClientAddress
  readonly front: Front | undefined
}

/** Returns the Koa app for everything that is not below a user's root: the service's own methods, and pages. */
function createServiceApp(
  dispatcher: Dispatcher,
  router: Router<State>,
  { getClientAddress, front, getHeaders }: ServiceAppOptions
): Koa<State> {
  const { config, log } = dispatcher.services
  const app = new Koa<State>()

  // Every response has the same headers, and every error the same form.
  app.use(async (ctx, next) => {
    ctx.state.headers = getHeaders(ctx.req)
    try {
      await next()
    } catch (error) {
      if (ctx.headerSent) throw error
      await replyFailure(ctx, dispatcher, error, front)
    } finally {
      ctx.state.ticket?.release()
    }
    // Responses of methods have been sent by now; those of pages are sent by Koa.
    if (ctx.headerSent) ctx.respond = false
    if (!ctx.req.complete) discard(ctx.req, config.limits.bodyTimeout)
  })

  app.use(async (ctx, next) => {
    ctx.state.address = addressOf(ctx.req.url ?? '/', ctx.req.headers.host, config)
    if (isForm(ctx.req)) await readFormCall(ctx, dispatcher, getClientAddress)
    // Set before the router runs, since pages add headers of their own.
    setMissing(ctx.res, ctx.state.headers)
    ctx.path = `/${ctx.state.address.segments.map(encodeURIComponent).join('/')}`
    await next()
    const isAnswered = ctx.headerSent || ctx.body !== undefined
    if (ctx.matched && isAnswered) return
    if (!front?.answers(ctx, 404)) fail('unknown-resource', 'Nothing found at this path')
  })

  app.use(router.routes())
  app.on('error', error => logFailure(log, error))
  return app
}

/** Sends an error response. */
async function replyFailure(
  exchange: Exchange,
  dispatcher: Dispatcher,
  error: unknown,
  front?: Front
): Promise<void> {
  const { req, state } = exchange
  // The connection stays open if the body has arrived together with the headers.
  if (!req.complete && sendsBody(req)) await nextTurn()
  // The response may take long, so the memory of the body is released before.
  state.ticket?.release()
  const { accessId, error: apiError } = failureOf(dispatcher.services.log, error, 'http')
  // Users whom an app has redirected here get a page.
  if (isAuthorization(exchange) && front?.answers(exchange, apiError.status)) return
  // So do browsers at an address that is unknown or malformed.
  const isNowhere = apiError.id === 'unknown-resource' || state.address === nobody
  if (isNowhere && front?.answers(exchange, apiError.status)) return
  if (isOfOAuth(exchange)) return replyOAuthError(exchange, apiError)
  const taken = replyError(exchange, dispatcher.services, apiError, accessId)
  // A client that is still sending might not read before it has sent all.
  if (taken && !req.complete) discard(req, dispatcher.services.config.limits.bodyTimeout)
  await taken
}

/** Logs why a response was interrupted, unless the client disconnected. */
function logFailure(log: Log, cause: unknown): void {
  const { code } = Object(cause) as { code?: unknown }
  // Access was revoked while the response was being sent, so the connection was reset deliberately.
  if (cause instanceof ApiError && cause.status < 500) return
  if (typeof code !== 'string' || !disconnectCodes.has(code))
    log.warn('a response was interrupted', { cause })
}

function isForm(request: IncomingMessage): boolean {
  return request.method === 'POST' && mediaType(request) === 'application/x-www-form-urlencoded'
}

/** Reads a form that represents a call. */
async function readFormCall(
  exchange: Exchange,
  { services }: Dispatcher,
  getClientAddress: GetClientAddress
): Promise<void> {
  const { req, state } = exchange
  // The token may be in the form itself, so the sender counts as unauthenticated.
  if (needsRoom(req)) state.ticket = services.intakes.anonymous.admit(getNetwork(getClientAddress(req)))
  const form = await formCall(
    await readText(req, services, state.ticket),
    services.config.limits,
    state.ticket?.party
  )
  exchange.method = form.verb
  // The response may take long, so an unused body is released before.
  const isBodyUsed = hasBody(form.verb) || form.verb === 'DELETE'
  state.form = isBodyUsed ? form : { ...form, body: undefined }
  if (!isBodyUsed) state.ticket?.release()
}
