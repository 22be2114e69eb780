/** The URL of each method, for the audit: the first route of the table that reaches it. */
import type { Endpoints } from '../../core/call/services.js'
import { serviceRoutes, userRoutes } from './routes.js'

/** Returns the endpoints of all methods. */
export function endpoints(): Endpoints {
  const routes = [...serviceRoutes, ...userRoutes].toReversed()
  return new Map(
    routes.map(({ method, path, status, verb }) => [method, { verb, resource: fixed(path), status }])
  )
}

/** The part before the first parameter: `/webhooks` for `/webhooks/:id/test`. */
function fixed(path: string): string {
  const parameter = path.indexOf('/:')
  return parameter < 0 ? path : path.slice(0, parameter) || '/'
}
