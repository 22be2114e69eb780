/** Routes below a user's root. They are the hot ones, so their dispatcher is our own (README, Decisions). */
import type { Middleware } from 'koa'
import { fail } from '../../core/errors.js'
import type { Gateway } from '../../core/gateway.js'
import { callTarget, mustBeUser, targetsOf } from './call.js'
import type { State } from './context.js'
import { Dispatcher } from './dispatch.js'
import { replyRoot } from './root.js'
import { seriesRoutes, userRoutes } from './routes.js'

/** Answers every request that names a user; `via` tells to which port it came. */
export function userDispatch(gateway: Gateway, via: 'http' | 'hf'): Middleware<State> {
  const dispatcher = new Dispatcher(via === 'hf' ? seriesRoutes : userRoutes, targetsOf(gateway))
  const call = callTarget(gateway, via)
  return async ctx => {
    const { user = '', segments } = ctx.state.address
    const verb = ctx.method === 'HEAD' ? 'GET' : ctx.method
    const match = dispatcher.find(verb, segments)
    if (match) return await call(ctx, match.target, match.ids)
    mustBeUser(gateway.core, user)
    if (verb === 'GET' && segments.length === 0) return await replyRoot(ctx, gateway.core)
    return fail('unknown-resource', `Nothing is reached by ${verb} at this path.`)
  }
}
