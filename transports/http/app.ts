/** The request listener: calls that name a user are served directly, everything else goes through Koa and its router. */
import type { IncomingMessage, RequestListener } from 'node:http'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { Router } from '@koa/router'
import Koa from 'koa'
import type { Log } from '../../core/log.js'
import { parseAddress, unknownAddress } from './request/address.js'
import { discardBody, getMediaType, needsReservation, readText } from './request/body.js'
import { createClientAddressReader } from './request/client-address.js'
import type { Exchange, ExchangeState } from './exchange.js'
import { parseFormCall } from './request/form-call.js'
import { createCommonHeaders, setMissingHeaders, type Headers } from './answer/headers.js'
import { isAuthorizationRequest, isOAuthRequest, replyOAuthError } from './oauth/reply.js'
import { findReceivedPath } from './received-data.js'
import { findErrorFormat, replyReadError } from './read-request.js'
import { createFallbackPage, type FallbackPage } from './pages/fallback-page.js'
import { createServiceRouter, type ServiceParts } from './service-routes.js'
import { acceptsBody } from './request/params.js'
import { reply, replyError, replyText } from './answer/reply.js'
import { createUserHandler, type UserHandler } from './user-routes.js'
import { ApiError, fail } from '../../core/errors.js'
import { joinMembers } from '../../core/json/json-text.js'
import type { Dispatcher } from '../../core/call/dispatcher.js'
import type { ReadEndpoint, ReceiveEndpoint } from '../endpoints.js'
import { toFailure } from '../../core/call/outcome.js'
import { getNetwork } from '../../core/security/network.js'
import { hasBody as sendsBody } from '../upgrades.js'

type GetClientAddress = ReturnType<typeof createClientAddressReader>

/** Error codes that mean that the client has disconnected. */
const disconnectCodes = new Set(['ECONNRESET', 'EPIPE', 'ERR_STREAM_PREMATURE_CLOSE'])

/** Returns a listener for Node's `request` event that serves the API and the pages. */
export function createApp(dispatcher: Dispatcher, offer: ServiceParts): RequestListener {
  const front = createFallbackPage(dispatcher.services.config, offer.pages)
  return createListener(
    dispatcher,
    createUserHandler(dispatcher, 'http', { ...offer, fallbackPage: front }),
    () => createServiceRouter(dispatcher, { ...offer, fallbackPage: front }),
    { front, receiver: offer.receiver, readers: offer.readers }
  )
}

/** Returns the listener of the port that serves series only. (docs/spec/series.md#separate-port) */
export function createSeriesApp(dispatcher: Dispatcher): RequestListener {
  const createRouter = (): Router<ExchangeState> =>
    new Router<ExchangeState>().get('/system/status', ctx =>
      reply(ctx, dispatcher.services, { ok: true, members: joinMembers({ status: 'ok' }) }, 200)
    )
  return createListener(dispatcher, createUserHandler(dispatcher, 'hf'), createRouter)
}

/** What a listener serves besides methods. */
interface ListenerParts {
  readonly front?: FallbackPage
  readonly receiver?: ReceiveEndpoint | undefined
  readonly readers?: readonly ReadEndpoint[] | undefined
}

/**
 * Creates the listener. Each request gets a response; errors after its headers are logged. The router is created at the first request
 * that names no user: compiling its routes takes a tenth of a start.
 */
function createListener(
  dispatcher: Dispatcher,
  answerUser: UserHandler,
  createRouter: () => Router<ExchangeState>,
  { front, readers = [], receiver }: ListenerParts = {}
): RequestListener {
  const { config } = dispatcher.services
  const getClientAddress = createClientAddressReader(config.http.trustedProxies)
  const getHeaders = createCommonHeaders(config)
  let serve: ReturnType<Koa['callback']> | undefined
  const getServe = (): ReturnType<Koa['callback']> =>
    (serve ??= createServiceApp(dispatcher, createRouter(), {
      getHeaders,
      getClientAddress,
      front
    }).callback())

  const answer = async (exchange: Exchange): Promise<void> => {
    const { req, res, state } = exchange
    try {
      // CORS preflight: every origin is allowed, since the token decides what a caller may do.
      if (req.method === 'OPTIONS') return replyText(exchange, 200)
      state.address = parseAddress(req.url ?? '/', req.headers.host, config)
      if (state.address.user === undefined) return await getServe()(req, res)
      // Forms that devices send are data, not calls.
      const isData = receiver !== undefined && findReceivedPath(receiver, state.address) !== undefined
      if (isForm(req) && !isData) await readFormCall(exchange, dispatcher, getClientAddress)
      const answered = answerUser(exchange)
      // Most reads have been answered by now, and an await takes as long as identifying the caller.
      if (answered) await answered
    } catch (error) {
      // Even without a body, Node sees the end of a request only after its listener has returned.
      await Promise.resolve()
      // Part of the response has been sent, so the error can only be logged.
      if (res.headersSent) logFailure(dispatcher.services.log, error)
      else {
        const page = state.address === unknownAddress ? front : undefined
        await replyFailure(exchange, dispatcher, error, {
          front: page,
          reader: findErrorFormat(exchange, readers, config)
        })
      }
    } finally {
      state.reservation?.release()
    }
    // After a synchronous response, Node sees the end of the request later, even without a body.
    if (!req.complete && sendsBody(req)) discardBody(req, config.limits.bodyTimeout)
  }

  return (req, res) => {
    const begin = (): void =>
      void answer({
        req,
        res,
        method: req.method ?? 'GET',
        state: { headers: getHeaders(req), address: unknownAddress }
      })
    // Pipelined requests are handled one by one: otherwise, responses would collect in memory until the client has read the
    // first. Node assigns the socket once the previous response has been sent.
    if (!res.socket) res.once('socket', begin)
    // The body is not read. In the next turn, Node has parsed what arrived with the headers, so the connection may stay open.
    else if (sendsBody(req) && !acceptsBody(req.method ?? '')) setImmediate(begin)
    else begin()
  }
}

interface ServiceAppOptions {
  readonly getHeaders: (request: IncomingMessage) => Headers
  readonly getClientAddress: GetClientAddress
  readonly front: FallbackPage | undefined
}

/** Returns the Koa app for everything that is not below a user's root: the service's own methods, and pages. */
function createServiceApp(
  dispatcher: Dispatcher,
  router: Router<ExchangeState>,
  { getClientAddress, front, getHeaders }: ServiceAppOptions
): Koa<ExchangeState> {
  const { config, log } = dispatcher.services
  const app = new Koa<ExchangeState>()

  // Every response has the same headers, and every error the same form.
  app.use(async (ctx, next) => {
    ctx.state.headers = getHeaders(ctx.req)
    try {
      await next()
    } catch (error) {
      if (ctx.headerSent) throw error
      await replyFailure(ctx, dispatcher, error, { front })
    } finally {
      ctx.state.reservation?.release()
    }
    // Responses of methods have been sent by now; those of pages are sent by Koa.
    if (ctx.headerSent) ctx.respond = false
    if (!ctx.req.complete) discardBody(ctx.req, config.limits.bodyTimeout)
  })

  app.use(async (ctx, next) => {
    ctx.state.address = parseAddress(ctx.req.url ?? '/', ctx.req.headers.host, config)
    if (isForm(ctx.req)) await readFormCall(ctx, dispatcher, getClientAddress)
    // Set before the router runs, since pages add headers of their own.
    setMissingHeaders(ctx.res, ctx.state.headers)
    ctx.path = `/${ctx.state.address.segments.map(encodeURIComponent).join('/')}`
    await next()
    const isAnswered = ctx.headerSent || ctx.body !== undefined
    if (ctx.matched && isAnswered) return
    if (!front?.tryReply(ctx, 404)) fail('unknown-resource', 'Nothing found at this path')
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
  { front, reader }: { readonly front: FallbackPage | undefined; readonly reader?: ReadEndpoint | undefined }
): Promise<void> {
  const { req, state } = exchange
  // The connection stays open if the body has arrived together with the headers.
  if (!req.complete && sendsBody(req)) await nextTurn()
  // The response may take long, so the memory of the body is released before.
  state.reservation?.release()
  const { accessId, error: apiError } = toFailure(dispatcher.services.log, error, 'http')
  if (reader) return replyReadError(exchange, reader, apiError)
  // Users whom an app has redirected here get a page.
  if (isAuthorizationRequest(exchange) && front?.tryReply(exchange, apiError.status)) return
  // Browsers get the page also at an address that is unknown or malformed.
  const isNowhere = apiError.id === 'unknown-resource' || state.address === unknownAddress
  if (isNowhere && front?.tryReply(exchange, apiError.status)) return
  if (isOAuthRequest(exchange)) return replyOAuthError(exchange, apiError)
  const taken = replyError(exchange, dispatcher.services, apiError, accessId)
  // A client that is still sending might not read before it has sent all.
  if (taken && !req.complete) discardBody(req, dispatcher.services.config.limits.bodyTimeout)
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
  return request.method === 'POST' && getMediaType(request) === 'application/x-www-form-urlencoded'
}

/** Reads a form that represents a call. */
async function readFormCall(
  exchange: Exchange,
  { services }: Dispatcher,
  getClientAddress: GetClientAddress
): Promise<void> {
  const { req, state } = exchange
  // The token may be in the form itself, so the sender counts as unauthenticated.
  if (needsReservation(req))
    state.reservation = services.uploadBuffers.anonymous.admit(getNetwork(getClientAddress(req)))
  const form = await parseFormCall(
    await readText(req, services, state.reservation),
    services.config.limits,
    state.reservation?.party
  )
  exchange.method = form.verb
  // The response may take long, so an unused body is released before.
  const isBodyUsed = acceptsBody(form.verb) || form.verb === 'DELETE'
  state.form = isBodyUsed ? form : { ...form, body: undefined }
  if (!isBodyUsed) state.reservation?.release()
}
