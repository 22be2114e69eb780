/**
 * Routes below a user's root. They are the hot path, so they are found in a route tree instead of by koa's router.
 * (docs/decisions/0006-user-routes-are-found-in-a-tree.md)
 */
import { fail } from '../../core/errors.js'
import type { Dispatcher } from '../../core/call/dispatcher.js'
import type { ReadEndpoint, ReceiveEndpoint, UserEndpoint } from '../endpoints.js'
import { handleMessage } from './endpoint-message.js'
import { findReceivedPath, handleReceived } from './received-data.js'
import { handleRead } from './read-request.js'
import { createClientAddressReader } from './request/client-address.js'
import { createRouteHandler, assertUserExists } from './call.js'
import { prepareRoutes } from './prepared-route.js'
import type { Exchange } from './exchange.js'
import { replyResourceMetadata } from './oauth/resource.js'
import { RouteTree } from './route-tree.js'
import { getUserPageStatus, type FallbackPage } from './pages/fallback-page.js'
import { replyRoot } from './pages/root.js'
import { seriesRoutes, userRoutes } from './routes.js'

/** Serves a request that names a user. Returns `undefined` if the response has been sent already. */
export type UserHandler = (exchange: Exchange) => Promise<void> | undefined

/** The parts that are served below a user's root besides methods. */
interface UserParts {
  readonly fallbackPage: FallbackPage
  readonly endpoint?: UserEndpoint | undefined
  readonly receiver?: ReceiveEndpoint | undefined
  /** Endpoints that answer other programs in their formats. */
  readonly readers?: readonly ReadEndpoint[] | undefined
}

/**
 * Returns a function that serves every request that names a user, and throws `unknown-resource` for a path without a route.
 * `via` names the port: `hf` has the routes of series only.
 */
export function createUserHandler(
  dispatcher: Dispatcher,
  via: 'http' | 'hf',
  { endpoint, fallbackPage, readers = [], receiver }: Partial<UserParts> = {}
): UserHandler {
  const createTree = () => new RouteTree(via === 'hf' ? seriesRoutes : userRoutes, prepareRoutes(dispatcher))
  /** Built at the first request. */
  let tree: ReturnType<typeof createTree> | undefined
  const call = createRouteHandler(dispatcher, via)
  const getClientAddress = createClientAddressReader(dispatcher.services.config.http.trustedProxies)
  const readersByRoot = new Map(readers.flatMap(reader => reader.roots.map(root => [root, reader] as const)))
  return exchange => {
    const { user = '', segments } = exchange.state.address
    const verb = exchange.method === 'HEAD' ? 'GET' : exchange.method
    tree ??= createTree()
    const match = tree.find(verb, segments)
    if (match) return call(exchange, match.target, match.ids)
    const reader = readersByRoot.get(segments[0] ?? '')
    if (reader) return handleRead(exchange, dispatcher, reader, getClientAddress(exchange.req))
    const received = receiver && findReceivedPath(receiver, exchange.state.address)
    if (received)
      return handleReceived(exchange, dispatcher, receiver, received, getClientAddress(exchange.req))
    if (endpoint && segments.length === 1 && segments[0] === endpoint.segment)
      return handleMessage(exchange, dispatcher, endpoint, getClientAddress(exchange.req))
    if (endpoint && replyResourceMetadata(exchange, dispatcher.services.config, endpoint.segment))
      return undefined
    if (fallbackPage?.tryReply(exchange, getUserPageStatus(user, segments))) return undefined
    assertUserExists(dispatcher.services, user)
    if (verb === 'GET' && segments.length === 0) return replyRoot(exchange, dispatcher.services)
    return fail('unknown-resource', `No ${verb} route at this path`)
  }
}
