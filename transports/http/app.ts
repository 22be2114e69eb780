/** What answers requests: users' calls directly, everything else by way of Koa and its router. */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { Router } from '@koa/router'
import Koa from 'koa'
import type { Log } from '../../core/log.js'
import { addressOf, nobody } from './request/address.js'
import { discard, mediaType, needsRoom, readText } from './request/body.js'
import { clientAddress } from './request/client-address.js'
import type { Exchange, State } from './exchange.js'
import { formCall } from './request/form.js'
import { commonHeaders, setMissing, type Headers } from './answer/headers.js'
import { serviceRouter, type Offer } from './service-routes.js'
import { hasBody } from './request/params.js'
import { reply, replyError, replyText } from './answer/reply.js'
import { userDispatch, type AnswerUser } from './user-routes.js'
import { ApiError, fail } from '../../core/errors.js'
import { members } from '../../core/json/json-text.js'
import type { Dispatcher } from '../../core/call/dispatcher.js'
import { networkOf } from '../../core/security/network.js'

type AddressOfClient = ReturnType<typeof clientAddress>

/** How the system says that the other side is gone. */
const leaving = new Set(['ECONNRESET', 'EPIPE', 'ERR_STREAM_PREMATURE_CLOSE'])

/** A listener of Node's `request` event that serves the API, and pages beside it. */
export function createApp(dispatcher: Dispatcher, offer: Offer): RequestListener {
  return listener(dispatcher, userDispatch(dispatcher, 'http'), serviceRouter(dispatcher, offer))
}

/** The listener of the port that serves nothing but points of series. (docs/spec/series.md#port-of-its-own) */
export function createSeriesApp(dispatcher: Dispatcher): RequestListener {
  const status = new Router<State>().get('/system/status', ctx =>
    reply(ctx, dispatcher.core, { ok: true, members: members({ status: 'ok' }) }, 200)
  )
  return listener(dispatcher, userDispatch(dispatcher, 'hf'), status)
}

function listener(dispatcher: Dispatcher, answerUser: AnswerUser, router: Router<State>): RequestListener {
  const { config } = dispatcher.core
  const addressOfClient = clientAddress(config.http.trustedProxies)
  const headersOf = commonHeaders(config)
  const serve = services(dispatcher, router, headersOf, addressOfClient).callback()

  const answer = async (exchange: Exchange): Promise<void> => {
    const { req, res, state } = exchange
    try {
      // Browsers ask first: anything is allowed, the token decides.
      if (req.method === 'OPTIONS') return replyText(exchange, 200)
      state.address = addressOf(req.url ?? '/', req.headers.host, config)
      if (state.address.user === undefined) return await serve(req, res)
      if (isForm(req)) await readForm(exchange, dispatcher, addressOfClient)
      await answerUser(exchange)
    } catch (error) {
      // Even of a request without a body the end is only seen once its listener has returned.
      await Promise.resolve()
      // Half of an answer has gone out: there is nobody to be told but the operator.
      if (res.headersSent) tell(dispatcher.core.log, error)
      else refuse(exchange, dispatcher, error)
    } finally {
      state.ticket?.leave()
    }
    if (!req.complete) discard(req, config.limits.bodyTimeout)
  }

  const inTurn = pipelined()
  return (req, res) => {
    const begin = (): void =>
      void answer({
        req,
        res,
        method: req.method ?? 'GET',
        state: { headers: headersOf(req), address: nobody }
      })
    if (res.socket) begin()
    else inTurn(req, res, begin)
  }
}

/** Requests that a connection may send before the one before them has been answered. */
const mostPipelined = 100

/**
 * A function that answers requests of a connection one after the other: answers to all at once would wait in memory until
 * the first of them has been taken.
 */
function pipelined(): (req: IncomingMessage, res: ServerResponse, begin: () => void) => void {
  const counts = new WeakMap<Socket, number>()
  return (req, res, begin) => {
    const { socket } = req
    const count = (counts.get(socket) ?? 0) + 1
    if (count > mostPipelined) {
      socket.destroy()
      return
    }
    counts.set(socket, count)
    // It gets the connection when the answer before it is out.
    res.once('socket', () => {
      counts.set(socket, counts.get(socket)! - 1)
      begin()
    })
  }
}

/** What is not below a user's root: the service's own methods, and pages. */
function services(
  dispatcher: Dispatcher,
  router: Router<State>,
  headersOf: (request: IncomingMessage) => Headers,
  addressOfClient: AddressOfClient
): Koa<State> {
  const { config, log } = dispatcher.core
  const app = new Koa<State>()

  // Every answer has the same headers and, when something fails, the same form.
  app.use(async (ctx, next) => {
    ctx.state.headers = headersOf(ctx.req)
    try {
      await next()
    } catch (error) {
      if (ctx.headerSent) throw error
      refuse(ctx, dispatcher, error)
    } finally {
      ctx.state.ticket?.leave()
    }
    // Answers of methods have gone out by now; pages leave theirs to Koa.
    if (ctx.headerSent) ctx.respond = false
    if (!ctx.req.complete) discard(ctx.req, config.limits.bodyTimeout)
  })

  app.use(async (ctx, next) => {
    ctx.state.address = addressOf(ctx.req.url ?? '/', ctx.req.headers.host, config)
    if (isForm(ctx.req)) await readForm(ctx, dispatcher, addressOfClient)
    // Pages add to them.
    setMissing(ctx.res, ctx.state.headers)
    ctx.path = `/${ctx.state.address.segments.map(encodeURIComponent).join('/')}`
    await next()
    const isAnswered = ctx.headerSent || ctx.body !== undefined
    if (!ctx.matched || !isAnswered) fail('unknown-resource', 'There is nothing at this path')
  })

  app.use(router.routes())
  app.on('error', error => tell(log, error))
  return app
}

/** Answers what went wrong, in the same form always. */
function refuse(exchange: Exchange, dispatcher: Dispatcher, error: unknown): void {
  const { req, res } = exchange
  // Closing the line on somebody who is still sending would lose the answer too.
  if (!req.complete) res.shouldKeepAlive = true
  replyError(exchange, dispatcher.core, dispatcher.failure(error, 'http').error)
}

/** Readers leave all the time; only what is our own trouble is worth a line. */
function tell(log: Log, cause: unknown): void {
  const { code } = Object(cause) as { code?: unknown }
  // Somebody who may not have the rest has been cut on purpose.
  if (cause instanceof ApiError && cause.status < 500) return
  if (typeof code !== 'string' || !leaving.has(code)) log.warn('an answer broke off', { cause })
}

function isForm(request: IncomingMessage): boolean {
  return request.method === 'POST' && mediaType(request) === 'application/x-www-form-urlencoded'
}

/** Takes the call that a form stands for. */
async function readForm(
  exchange: Exchange,
  { core }: Dispatcher,
  addressOfClient: AddressOfClient
): Promise<void> {
  const { req, state } = exchange
  // Whose it is, it may tell itself.
  if (needsRoom(req)) state.ticket = core.intakes.strangers.begin(networkOf(addressOfClient(req)))
  const form = await formCall(await readText(req, core, state.ticket), core.config.limits)
  exchange.method = form.verb
  // An answer may take long: what nobody reads is not held until its end.
  const isRead = hasBody(form.verb)
  state.form = isRead ? form : { ...form, body: undefined }
  if (!isRead) state.ticket?.leave()
}
