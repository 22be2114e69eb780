/** The route that tells a page which user is signed in. (docs/spec/authentication.md#sessions-of-pages) */
import type { IncomingMessage } from 'node:http'
import type { Router } from '@koa/router'
import { fail } from '../../../core/errors.js'
import type { PageSession } from '../../../core/call/credentials.js'
import type { Dispatcher, SharedServices } from '../../../core/call/dispatcher.js'
import { isOwnPage, formatPageCookie, getPageSessions } from '../../page-sessions.js'
import { createClientAddressReader } from '../request/client-address.js'
import type { PageContext, ExchangeState } from '../exchange.js'
import { reply } from '../answer/reply.js'
import { joinMembers } from '../../../core/json/json-text.js'
import { createSuccess, type Failure, type Outcome } from '../../../core/call/outcome.js'

/**
 * Adds the route that a page calls after a reload to find its session. Throws `forbidden` for other pages.
 */
export function addSessionRoute(router: Router<ExchangeState>, dispatcher: Dispatcher): void {
  const { services } = dispatcher
  const getClientAddress = createClientAddressReader(services.config.http.trustedProxies)
  const checkSession = async (
    request: IncomingMessage,
    { token, username }: PageSession
  ): Promise<Outcome> => {
    const { headers } = request
    const credentials = { authorization: token, headers, ip: getClientAddress(request), via: 'http' } as const
    return await dispatcher.call({ user: username, method: 'getAccessInfo', params: {}, credentials })
  }
  router.get('/app/session', async ctx => {
    const { headers } = ctx.req
    if (!isOwnPage(headers, services.config))
      fail('forbidden', "Only the service's own pages can use sessions")
    ctx.set('Cache-Control', 'no-store')
    const sessions = getPageSessions(headers, services.config)
    let suspended: Failure | undefined
    for (const session of sessions) {
      const outcome = await checkSession(ctx.req, session)
      if (outcome.ok) return await replySession(ctx, services, session)
      if (isSuspended(outcome)) suspended ??= outcome
      else if (!hasEnded(outcome)) return await reply(ctx, services, outcome, 200)
    }
    if (suspended) return await reply(ctx, services, suspended, 200)
    // Clears the cookie of a session that has ended.
    if (sessions.length > 0) ctx.append('Set-Cookie', formatPageCookie(services.config))
    await replySession(ctx, services)
  })
}

/** Returns whether the account is suspended. Its sessions remain valid. */
function isSuspended({ error }: Failure): boolean {
  return Object(error.details.data).isSuspended === true
}

/** Returns whether the session has ended; other errors are temporary. */
function hasEnded({ error: { status } }: Failure): boolean {
  return status < 500 && status !== 429
}

async function replySession(
  ctx: PageContext,
  services: SharedServices,
  session?: PageSession
): Promise<void> {
  // The user may have changed the name since signing in.
  const account = session && services.accounts.findServed(session.username)
  const publicSession = session ? { username: account?.username ?? session.username } : null
  await reply(ctx, services, createSuccess(joinMembers({ session: publicSession })), 200)
}
