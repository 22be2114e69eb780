/** Where each method is reached, for the audit: the first route that the table has for it. */
import type { Endpoints } from '../../core/call/endpoints.js'
import { serviceRoutes, userRoutes } from './routes.js'

/** The endpoints of all methods. */
export function endpoints(): Endpoints {
  const routes = [...serviceRoutes, ...userRoutes].toReversed()
  return new Map(
    routes.map(({ method, path, status, verb }) => [method, { verb, resource: fixed(path), status }])
  )
}

/** `/webhooks` of `/webhooks/:id/test`. */
function fixed(path: string): string {
  const parameter = path.indexOf('/:')
  return parameter < 0 ? path : path.slice(0, parameter) || '/'
}
