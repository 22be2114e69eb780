/** Routes below a user's root. They are the hot ones, so their dispatcher is our own (README, Decisions). */
import { fail } from '../../core/errors.js'
import type { Gateway } from '../../core/call/gateway.js'
import { callTarget, mustBeUser, targetsOf } from './call.js'
import type { Exchange } from './exchange.js'
import { Dispatcher } from './route-tree.js'
import { replyRoot } from './pages/root.js'
import { seriesRoutes, userRoutes } from './routes.js'

/** Answers a request that names a user. */
export type AnswerUser = (exchange: Exchange) => Promise<void>

/** A function that answers every request that names a user; `via` tells to which port it came. */
export function userDispatch(gateway: Gateway, via: 'http' | 'hf'): AnswerUser {
  const dispatcher = new Dispatcher(via === 'hf' ? seriesRoutes : userRoutes, targetsOf(gateway))
  const call = callTarget(gateway, via)
  return exchange => {
    const { user = '', segments } = exchange.state.address
    const verb = exchange.method === 'HEAD' ? 'GET' : exchange.method
    const match = dispatcher.find(verb, segments)
    if (match) return call(exchange, match.target, match.ids)
    mustBeUser(gateway.core, user)
    if (verb === 'GET' && segments.length === 0) return replyRoot(exchange, gateway.core)
    return fail('unknown-resource', `Nothing is reached by ${verb} at this path.`)
  }
}
