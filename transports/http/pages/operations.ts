/** Routes for whoever runs the service: is it alive, is it of use, how busy is it. */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Router } from '@koa/router'
import { ApiError } from '../../../core/errors.js'
import type { Dispatcher } from '../../../core/call/dispatcher.js'
import { members } from '../../../core/json/json-text.js'
import { clientAddress } from '../request/client-address.js'
import type { Http, State } from '../exchange.js'
import { reply } from '../answer/reply.js'

/** What these routes answer. */
export interface Operations {
  readonly health: {
    /** What has to hold for the service to be of use, by name. */
    readiness(): Promise<object>
  }
  /** The figures, as a text of this media type. */
  readonly metrics: () => Promise<{ readonly contentType: string; readonly text: string }>
}

/** Adds the routes. Figures need the operator's key here, and are not here at all where they have a port of their own. */
export function addOperations(
  router: Router<State>,
  dispatcher: Dispatcher,
  { health, metrics }: Operations
): void {
  const { core } = dispatcher
  const { config } = core
  const addressOf = clientAddress(config.http.trustedProxies)
  // The second one is asked of whoever serves points of series, which this port does, too. (docs/spec/service-information.md#health)
  for (const path of ['/healthz', '/system/status'])
    router.get(path, ctx => reply(ctx, core, { ok: true, members: members({ status: 'ok' }) }, 200))
  router.get('/readyz', async ctx => {
    const checks = await health.readiness()
    mustHold(checks)
    await reply(ctx, core, { ok: true, members: members({ status: 'ok', checks }) }, 200)
  })
  if (config.metrics.port !== null) return
  router.get('/metrics', async ctx => {
    // Whoever may call a method of the operator may read figures too; the core has the key, and counts wrong ones.
    const credentials = { authorization: keyOf(ctx), ip: addressOf(ctx.req), via: 'http' } as const
    const refusal = await dispatcher.precheck({ method: 'system.checkPlatformIntegrity', credentials })
    if (refusal) throw refusal.error
    const { contentType, text } = await metrics()
    ctx.set('Content-Type', contentType)
    ctx.body = text
  })
}

/** Answers on the port of the figures: nothing but them. */
export function serveMetrics({ metrics }: Operations): RequestListener {
  return (request, response) => void answer(request, response, metrics)
}

async function answer(
  { method, url }: IncomingMessage,
  response: ServerResponse,
  metrics: Operations['metrics']
): Promise<void> {
  const isAsked = method === 'GET' && url === '/metrics'
  try {
    const { contentType, text } = isAsked
      ? await metrics()
      : { contentType: 'text/plain', text: 'GET /metrics\n' }
    response.writeHead(isAsked ? 200 : 404, { 'Content-Type': contentType }).end(text)
  } catch {
    response.writeHead(500).end()
  }
}

/** Prometheus sends its credentials as `Bearer`. */
function keyOf({ req }: Http): string {
  return (req.headers.authorization ?? '').replace(/^Bearer /i, '')
}

function mustHold(checks: object): void {
  if (Object.values(checks).every(Boolean)) return
  throw new ApiError('api-unavailable', 'The service is not ready', { beside: { checks } })
}
