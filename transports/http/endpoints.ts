/** The URL of each method for the audit log: the first route in the table that calls the method. */
import type { Endpoints } from '../../core/call/services.js'
import { serviceRoutes, userRoutes } from './routes.js'

/** Returns the endpoints of all methods. */
export function createEndpoints(): Endpoints {
  const routes = [...serviceRoutes, ...userRoutes].toReversed()
  return new Map(
    routes.map(({ method, path, status, verb }) => [method, { verb, resource: getFixedPart(path), status }])
  )
}

/** Returns the path before its first parameter: `/webhooks` for `/webhooks/:id/test`. */
function getFixedPart(path: string): string {
  const parameter = path.indexOf('/:')
  return parameter < 0 ? path : path.slice(0, parameter) || '/'
}
