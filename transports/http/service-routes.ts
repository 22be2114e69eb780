/** Routes that name no user: service information, registration, static files and pages. */
import { Router } from '@koa/router'
import { fail } from '../../core/errors.js'
import type { Dispatcher } from '../../core/call/dispatcher.js'
import { createRouteHandler } from './call.js'
import { prepareRoutes } from './prepared-route.js'
import type { ReadEndpoint, ReceiveEndpoint, UserEndpoint } from '../endpoints.js'
import type { PageContext, ExchangeState } from './exchange.js'
import { addOAuthRoutes } from './oauth/routes.js'
import { replyResourceMetadata } from './oauth/resource.js'
import { createClientAddressReader } from './request/client-address.js'
import { addMapRoute, type MapFile } from './pages/map.js'
import { addDocsRoutes, addGuideRoutes } from './pages/docs.js'
import { isBrowserRequest, type FallbackPage } from './pages/fallback-page.js'
import { addPageRoutes } from './pages/pages.js'
import { addSessionRoute } from './pages/page-session.js'
import { addOperationsRoutes, type OperationsSources } from './pages/operations.js'
import { addActionRoutes, addMonitorRoutes, type OperatorActions, type Monitor } from './pages/operator.js'
import { replyRoot } from './pages/root.js'
import { addSetupRoutes, type SetupActions } from './pages/setup.js'
import { addSingleSignOnRoutes, type SingleSignOn } from './pages/single-sign-on.js'
import { serviceRoutes } from './routes.js'
import { replyFile, type StaticFile } from './pages/static.js'

/** Files by their path. */
type Files = ReadonlyMap<string, StaticFile>

/** The parts of the service that are served besides its methods. */
export interface ServiceParts {
  /** Static files that apps load. */
  readonly assets: Files
  /** The built web pages. */
  readonly pages: Files
  readonly operations?: OperationsSources
  /** Reports the state of the process to operators. */
  readonly monitor?: Monitor
  /** Changes settings and controls the process for operators. */
  readonly operatorActions?: OperatorActions
  readonly map?: MapFile | undefined
  /** The endpoint of another transport below the root of each user. */
  readonly endpoint?: UserEndpoint
  /** Receives data that apps and devices send on their own. */
  readonly receiver?: ReceiveEndpoint
  /** Answer other programs in their formats, below the root of each user. */
  readonly readers?: readonly ReadEndpoint[]
  /** Present if the service can be set up in a browser. */
  readonly setup?: SetupActions
  /** Redirects users to identity providers. */
  readonly signIns?: SingleSignOn
}

interface RouterParts extends ServiceParts {
  readonly fallbackPage: FallbackPage
}

/** Returns the router for all requests that name no user. */
export function createServiceRouter(
  dispatcher: Dispatcher,
  {
    assets,
    operatorActions,
    endpoint,
    fallbackPage,
    map,
    monitor,
    operations,
    pages,
    setup,
    signIns
  }: RouterParts
): Router<ExchangeState> {
  const { services } = dispatcher
  const router = new Router<ExchangeState>()
  // Before the app, which serves every other address below `/app`.
  addSessionRoute(router, dispatcher)
  if (map) addMapRoute(router, services.config, map)
  addPageRoutes(router, services.config, pages)
  addOAuthRoutes(router, dispatcher)
  addGuideRoutes(router)
  addDocsRoutes(router, dispatcher)
  if (setup) addSetupRoutes(router, dispatcher, setup)
  if (signIns) addSingleSignOnRoutes(router, dispatcher, signIns)
  if (operations) addOperationsRoutes(router, dispatcher, operations)
  if (monitor) addMonitorRoutes(router, dispatcher, monitor)
  if (operatorActions) addActionRoutes(router, dispatcher, operatorActions)
  addUnknownRequests(router, dispatcher, fallbackPage)
  const call = createRouteHandler(dispatcher)
  const prepareRoute = prepareRoutes(dispatcher)
  for (const route of serviceRoutes) {
    const target = prepareRoute(route)
    router.register(route.path, [route.verb], ctx => call(ctx, target, ctx.params))
  }
  for (const path of ['/', '/reg', '/access'])
    router.get(path, ctx => (fallbackPage.tryReply(ctx, 200) ? undefined : replyRoot(ctx, services)))
  if (endpoint)
    router.get('/.well-known/{*path}', async (ctx, next) => {
      if (!replyResourceMetadata(ctx, services.config, endpoint.segment)) await next()
    })
  const directory = `${JSON.stringify(services.eventTypes.directory)}\n`
  router.get('/www/event-types.json', ctx => {
    ctx.type = 'application/json; charset=utf-8'
    ctx.body = directory
  })
  const replyAsset = (ctx: PageContext, name: string): void =>
    replyFile(ctx, assets.get(name) ?? fail('unknown-resource', 'File not found'))
  router.get('/www/assets/*file', ctx => replyAsset(ctx, ctx.params['file'] ?? ''))
  router.get('/favicon.ico', ctx => replyAsset(ctx, 'favicon.ico'))
  return router
}

/**
 * Adds the page for browsers at the address of an unknown authorisation request, such as a mistyped page. This route
 * must precede the route that polls requests.
 */
function addUnknownRequests(
  router: Router<ExchangeState>,
  dispatcher: Dispatcher,
  fallbackPage: FallbackPage
): void {
  const getClientAddress = createClientAddressReader(dispatcher.services.config.http.trustedProxies)
  for (const path of ['/access/:key', '/reg/access/:key'])
    router.get(path, async (ctx, next) => {
      if (isBrowserRequest(ctx)) {
        const credentials = { ip: getClientAddress(ctx.req), via: 'http' } as const
        const params = { key: ctx.params['key'] }
        const outcome = await dispatcher.call({ method: 'authRequest.poll', params, credentials })
        const isUnknown = !outcome.ok && outcome.error.id === 'unknown-referenced-resource'
        if (isUnknown && fallbackPage.tryReply(ctx, 404)) return
      }
      await next()
    })
}
