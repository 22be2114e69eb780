/**
 * Routes below a user's root. They are the hot ones, so the tree that finds them is our own.
 * (docs/decisions/0006-a-route-tree-of-our-own.md)
 */
import { fail } from '../../core/errors.js'
import type { Dispatcher } from '../../core/call/dispatcher.js'
import { callTarget, mustBeUser, targetsOf } from './call.js'
import type { Exchange } from './exchange.js'
import { RouteTree } from './route-tree.js'
import { replyRoot } from './pages/root.js'
import { seriesRoutes, userRoutes } from './routes.js'

/** Answers a request that names a user. */
export type AnswerUser = (exchange: Exchange) => Promise<void>

/** A function that answers every request that names a user; `via` tells to which port it came. */
export function userDispatch(dispatcher: Dispatcher, via: 'http' | 'hf'): AnswerUser {
  const tree = new RouteTree(via === 'hf' ? seriesRoutes : userRoutes, targetsOf(dispatcher))
  const call = callTarget(dispatcher, via)
  return exchange => {
    const { user = '', segments } = exchange.state.address
    const verb = exchange.method === 'HEAD' ? 'GET' : exchange.method
    const match = tree.find(verb, segments)
    if (match) return call(exchange, match.target, match.ids)
    mustBeUser(dispatcher.core, user)
    if (verb === 'GET' && segments.length === 0) return replyRoot(exchange, dispatcher.core)
    return fail('unknown-resource', `Nothing is reached by ${verb} at this path`)
  }
}
