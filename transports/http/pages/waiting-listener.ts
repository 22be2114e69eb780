/** Answers requests at a node of a cluster while the node waits for the engine: it is alive, but not ready. */
import type { RequestListener, ServerResponse } from 'node:http'
import type { Config } from '../../../core/settings/config.js'
import { toMetaMember } from '../../../core/envelope.js'
import { ApiError } from '../../../core/errors.js'
import { joinMembers } from '../../../core/json/json-text.js'

/** Value of `Retry-After`, in seconds. */
const retryAfter = 5

/**
 * Returns a listener that answers `/healthz` and `/system/status` with 200, as usual, and everything else with 503
 * `api-unavailable` and `Retry-After`; `/readyz` also with its checks.
 */
export function createWaitingListener(config: Config): RequestListener {
  return (request, response) => {
    // The body is not read, so nothing can follow on this connection.
    request.resume()
    const path = request.url?.split('?', 1)[0]
    if (path === '/healthz' || path === '/system/status')
      return send(response, 200, joinMembers({ status: 'ok' }), config)
    const error = new ApiError('api-unavailable', 'The service is starting. Try again', { retryAfter })
    const checks = path === '/readyz' ? { checks: { cluster: false } } : {}
    response.setHeader('Retry-After', String(retryAfter))
    send(response, error.status, joinMembers({ error, ...checks }), config)
  }
}

/** Sends a JSON response while the service is not ready. `body`: members without braces. */
function send(response: ServerResponse, status: number, body: string, config: Config): void {
  const text = `{${body},${toMetaMember(config, Date.now() / 1000)}}`
  response
    .writeHead(status, {
      'Content-Type': 'application/json; charset=utf-8',
      'Content-Length': String(Buffer.byteLength(text)),
      'API-Version': config.apiVersion,
      'Access-Control-Allow-Origin': '*',
      'Cache-Control': 'no-store',
      Connection: 'close'
    })
    .end(text)
}
