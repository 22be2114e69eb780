/** The chain of middleware that every request goes through, in order. */
import { Router } from '@koa/router'
import Koa, { type Middleware } from 'koa'
import { addressOf } from './address.js'
import { discard, mediaType, readText } from './body.js'
import type { State } from './context.js'
import { formCall } from './form.js'
import { commonHeaders, setMissing } from './headers.js'
import { serviceRouter, type Offer } from './registration.js'
import { reply, replyError } from './reply.js'
import { userDispatch } from './users.js'
import { fail } from '../../core/errors.js'
import { members } from '../../core/json.js'
import type { Gateway } from '../../core/gateway.js'

/** How the system says that the other side is gone. */
const leaving = new Set(['ECONNRESET', 'EPIPE', 'ERR_STREAM_PREMATURE_CLOSE'])

/** The HTTP application: a function of Node's `request` event comes from its `callback`. */
export function createApp(gateway: Gateway, offer: Offer): Koa<State> {
  return chain(gateway, userDispatch(gateway, 'http'), serviceRouter(gateway, offer).routes())
}

/** The application of the port that serves nothing but points of series. (service.md, HF series) */
export function createSeriesApp(gateway: Gateway): Koa<State> {
  const status = new Router<State>().get('/system/status', ctx =>
    reply(ctx, gateway.core, { ok: true, members: members({ status: 'ok' }) }, 200)
  )
  return chain(gateway, userDispatch(gateway, 'hf'), status.routes())
}

function chain(
  gateway: Gateway,
  users: Middleware<State>,
  services: ReturnType<Router<State>['routes']>
): Koa<State> {
  const { core } = gateway
  const { domain, limits } = core.config
  const headersOf = commonHeaders(core.config)
  const app = new Koa<State>()

  // Every answer has the same headers and, when something fails, the same form.
  app.use(async (ctx, next) => {
    ctx.state.headers = headersOf(ctx.req)
    try {
      await next()
    } catch (error) {
      if (ctx.headerSent) throw error
      // Closing the line on somebody who is still sending would lose the answer too.
      if (!ctx.req.complete) ctx.res.shouldKeepAlive = true
      replyError(ctx, core, gateway.failure(error, 'http').error)
    }
    if (!ctx.headerSent) setMissing(ctx.res, ctx.state.headers)
    if (!ctx.req.complete) discard(ctx.req, limits.bodyTimeout)
  })

  // Browsers ask first: anything is allowed, the token decides.
  app.use((ctx, next) => {
    if (ctx.method !== 'OPTIONS') return next()
    ctx.status = 200
    ctx.body = ''
    return undefined
  })

  // Whom the request is for.
  app.use((ctx, next) => {
    ctx.state.address = addressOf(ctx.req.url ?? '/', ctx.req.headers.host, domain)
    return next()
  })

  // A form stands for another call.
  app.use((ctx, next) => {
    if (ctx.method !== 'POST' || mediaType(ctx.req) !== 'application/x-www-form-urlencoded') return next()
    return readText(ctx.req, limits).then(async text => {
      ctx.state.form = await formCall(text, limits)
      ctx.method = ctx.state.form.verb
      return next()
    })
  })

  app.use((ctx, next) => (ctx.state.address.user === undefined ? next() : users(ctx, next)))

  app.use(async (ctx, next) => {
    const { segments } = ctx.state.address
    // Pages add to them.
    setMissing(ctx.res, ctx.state.headers)
    ctx.path = `/${segments.map(encodeURIComponent).join('/')}`
    await services(ctx as never, next)
    const isAnswered = ctx.headerSent || ctx.body !== undefined
    if (!ctx.matched || !isAnswered) fail('unknown-resource', 'There is nothing at this path.')
  })

  app.on('error', (cause: NodeJS.ErrnoException) => {
    // Readers leave all the time; only what is our own trouble is worth a line.
    if (!leaving.has(cause.code ?? '')) core.log.warn('an answer broke off', { cause })
  })
  return app
}
