/**
 * Routes below a user's root. They are the hot path, so they use a route tree of our own.
 * (docs/decisions/0006-user-routes-are-found-in-a-tree.md)
 */
import { fail } from '../../core/errors.js'
import type { Dispatcher } from '../../core/call/dispatcher.js'
import type { UserEndpoint } from '../user-endpoint.js'
import { answerMessage } from './message.js'
import { clientAddress } from './request/client-address.js'
import { callTarget, assertUserExists } from './call.js'
import { targetsOf } from './target.js'
import type { Exchange } from './exchange.js'
import { repliesResource } from './oauth/resource.js'
import { RouteTree } from './route-tree.js'
import { statusBelow, type Front } from './pages/front.js'
import { replyRoot } from './pages/root.js'
import { seriesRoutes, userRoutes } from './routes.js'

/** Serves a request that names a user; synchronously if nothing has to wait. */
export type AnswerUser = (exchange: Exchange) => Promise<void> | undefined

/** The parts that are served below a user's root besides methods. */
interface UserParts {
  readonly front: Front
  readonly endpoint?: UserEndpoint | undefined
}

/** Returns a function that serves every request that names a user. `via` names the port. */
export function userDispatch(
  dispatcher: Dispatcher,
  via: 'http' | 'hf',
  { endpoint, front }: Partial<UserParts> = {}
): AnswerUser {
  const tree = new RouteTree(via === 'hf' ? seriesRoutes : userRoutes, targetsOf(dispatcher))
  const call = callTarget(dispatcher, via)
  const getClientAddress = clientAddress(dispatcher.services.config.http.trustedProxies)
  return exchange => {
    const { user = '', segments } = exchange.state.address
    const verb = exchange.method === 'HEAD' ? 'GET' : exchange.method
    const match = tree.find(verb, segments)
    if (match) return call(exchange, match.target, match.ids)
    if (endpoint && segments.length === 1 && segments[0] === endpoint.segment)
      return answerMessage(exchange, dispatcher, endpoint, getClientAddress(exchange.req))
    if (endpoint && repliesResource(exchange, dispatcher.services.config, endpoint.segment)) return undefined
    if (front?.answers(exchange, statusBelow(user, segments))) return undefined
    assertUserExists(dispatcher.services, user)
    if (verb === 'GET' && segments.length === 0) return replyRoot(exchange, dispatcher.services)
    return fail('unknown-resource', `No ${verb} route at this path`)
  }
}
