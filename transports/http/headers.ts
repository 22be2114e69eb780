/** Headers of every answer. (supplement 1.1) */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Config } from '../../core/config.js'

const verbs = 'POST, GET, PUT, DELETE, OPTIONS'
const oneYear = '31536000'

/** A function that sets the headers that every answer has, whatever becomes of the call. */
export function commonHeaders(config: Config): (request: IncomingMessage, response: ServerResponse) => void {
  const { apiVersion, accessIdHeader } = config
  const exposed = `API-Version, ${accessIdHeader}`
  return ({ headers }, response) => {
    response.setHeader('API-Version', apiVersion)
    response.setHeader('Access-Control-Allow-Origin', headers.origin ?? '*')
    response.setHeader('Access-Control-Allow-Methods', headers['access-control-request-method'] ?? verbs)
    response.setHeader(
      'Access-Control-Allow-Headers',
      headers['access-control-request-headers'] ?? 'Authorization, Content-Type'
    )
    response.setHeader('Access-Control-Expose-Headers', exposed)
    response.setHeader('Access-Control-Max-Age', oneYear)
    // No cookie ever authenticates a call, so this gives nothing away. (security: cross-site requests)
    response.setHeader('Access-Control-Allow-Credentials', 'true')
    response.setHeader('Vary', 'Origin')
    response.setHeader('X-Content-Type-Options', 'nosniff')
  }
}
