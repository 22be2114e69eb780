/** Routes for operators: liveness, readiness and metrics. */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Router } from '@koa/router'
import { ApiError } from '../../../core/errors.js'
import type { Dispatcher } from '../../../core/call/dispatcher.js'
import { joinMembers } from '../../../core/json/json-text.js'
import { createClientAddressReader } from '../request/client-address.js'
import type { PageContext, ExchangeState } from '../exchange.js'
import { reply } from '../answer/reply.js'

/** The sources of these routes. */
export interface OperationsSources {
  readonly health: {
    /** Returns the result of each readiness check, by name. */
    readiness(): Promise<object>
  }
  /** Returns the metrics as text, with its media type. */
  readonly metrics: () => Promise<{ readonly contentType: string; readonly text: string }>
}

/**
 * Adds the routes. Metrics require the admin key on this port; if they have a port of their own, they are served only
 * on that port.
 */
export function addOperationsRoutes(
  router: Router<ExchangeState>,
  dispatcher: Dispatcher,
  { health, metrics }: OperationsSources
): void {
  const { services } = dispatcher
  const { config } = services
  const getClientAddress = createClientAddressReader(config.http.trustedProxies)
  // Clients expect the second path at the server for series, and this port serves series, too.
  // (docs/spec/service-information.md#health)
  for (const path of ['/healthz', '/system/status'])
    router.get(path, ctx => reply(ctx, services, { ok: true, members: joinMembers({ status: 'ok' }) }, 200))
  router.get('/readyz', async ctx => {
    const checks = await health.readiness()
    assertReady(checks)
    await reply(ctx, services, { ok: true, members: joinMembers({ status: 'ok', checks }) }, 200)
  })
  if (config.metrics.port !== null) return
  router.get('/metrics', async ctx => {
    // Callers of admin methods may read metrics, too. The core checks the key and throttles wrong ones.
    const credentials = {
      authorization: getAdminKey(ctx),
      ip: getClientAddress(ctx.req),
      via: 'http'
    } as const
    const checked = await dispatcher.precheck({ method: 'system.checkPlatformIntegrity', credentials })
    if (!checked.ok) throw checked.error
    const { contentType, text } = await metrics()
    ctx.set('Content-Type', contentType)
    ctx.body = text
  })
}

/** Returns the listener of the metrics port, which serves nothing else. */
export function createMetricsListener({ metrics }: OperationsSources): RequestListener {
  return (request, response) => void sendMetrics(request, response, metrics)
}

/** Sends the metrics; 404 for other paths, 500 if they cannot be read. */
async function sendMetrics(
  { method, url }: IncomingMessage,
  response: ServerResponse,
  metrics: OperationsSources['metrics']
): Promise<void> {
  const isMetrics = method === 'GET' && url === '/metrics'
  try {
    const { contentType, text } = isMetrics
      ? await metrics()
      : { contentType: 'text/plain', text: 'GET /metrics\n' }
    response.writeHead(isMetrics ? 200 : 404, { 'Content-Type': contentType }).end(text)
  } catch {
    response.writeHead(500).end()
  }
}

/** Returns the admin key, without the `Bearer` prefix that Prometheus sends. */
function getAdminKey({ req }: PageContext): string {
  return (req.headers.authorization ?? '').replace(/^Bearer /i, '')
}

function assertReady(checks: object): void {
  if (Object.values(checks).every(Boolean)) return
  throw new ApiError('api-unavailable', 'The service is not ready', { beside: { checks } })
}
