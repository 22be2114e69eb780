/** Routes that name no user: service information, registration, static files and pages. */
import { Router } from '@koa/router'
import { fail } from '../../core/errors.js'
import type { Dispatcher } from '../../core/call/dispatcher.js'
import { callTarget } from './call.js'
import { targetsOf } from './target.js'
import type { UserEndpoint } from '../user-endpoint.js'
import type { Http, State } from './exchange.js'
import { addOAuth } from './oauth/routes.js'
import { repliesResource } from './oauth/resource.js'
import { clientAddress } from './request/client-address.js'
import { addMap, type MapFile } from './pages/map.js'
import { addDocs } from './pages/docs.js'
import { isBrowser, type Front } from './pages/front.js'
import { addPages } from './pages/pages.js'
import { addSession } from './pages/session.js'
import { addOperations, type Operations } from './pages/operations.js'
import { addConfiguration, addMonitor, type Configuration, type Monitor } from './pages/operator.js'
import { replyRoot } from './pages/root.js'
import { addSetup, type SetupDesk } from './pages/setup.js'
import { addSingleSignOn, type SignInDesk } from './pages/single-sign-on.js'
import { serviceRoutes } from './routes.js'
import { replyFile, type StaticFile } from './pages/static.js'

/** Files by their path. */
type Files = ReadonlyMap<string, StaticFile>

/** The parts of the service that are served besides its methods. */
export interface Offer {
  /** Static files that apps load. */
  readonly assets: Files
  /** The built web pages. */
  readonly pages: Files
  readonly operations?: Operations
  /** Reports the state of the process to operators. */
  readonly monitor?: Monitor
  /** Changes settings and controls the process for operators. */
  readonly configuration?: Configuration
  readonly map?: MapFile | undefined
  /** The endpoint of another transport below the root of each user. */
  readonly endpoint?: UserEndpoint
  /** Present if the service can be set up in a browser. */
  readonly setup?: SetupDesk
  /** Redirects users to identity providers. */
  readonly signIns?: SignInDesk
}

interface RouterParts extends Offer {
  readonly front: Front
}

/** Returns the router for all requests that name no user. */
export function serviceRouter(
  dispatcher: Dispatcher,
  { assets, configuration, endpoint, front, map, monitor, operations, pages, setup, signIns }: RouterParts
): Router<State> {
  const { services } = dispatcher
  const router = new Router<State>()
  // Before the app, which serves every other address below `/app`.
  addSession(router, dispatcher)
  if (map) addMap(router, services.config, map)
  addPages(router, services.config, pages)
  addOAuth(router, dispatcher)
  addDocs(router, dispatcher)
  if (setup) addSetup(router, dispatcher, setup)
  if (signIns) addSingleSignOn(router, dispatcher, signIns)
  if (operations) addOperations(router, dispatcher, operations)
  if (monitor) addMonitor(router, dispatcher, monitor)
  if (configuration) addConfiguration(router, dispatcher, configuration)
  addUnknownRequests(router, dispatcher, front)
  const call = callTarget(dispatcher)
  const prepareRoute = targetsOf(dispatcher)
  for (const route of serviceRoutes) {
    const target = prepareRoute(route)
    router.register(route.path, [route.verb], ctx => call(ctx, target, ctx.params))
  }
  for (const path of ['/', '/reg', '/access'])
    router.get(path, ctx => (front.answers(ctx, 200) ? undefined : replyRoot(ctx, services)))
  if (endpoint)
    router.get('/.well-known/{*path}', async (ctx, next) => {
      if (!repliesResource(ctx, services.config, endpoint.segment)) await next()
    })
  const directory = `${JSON.stringify(services.eventTypes.directory)}\n`
  router.get('/www/event-types.json', ctx => {
    ctx.type = 'application/json; charset=utf-8'
    ctx.body = directory
  })
  const replyAsset = (ctx: Http, name: string): void =>
    replyFile(ctx, assets.get(name) ?? fail('unknown-resource', 'File not found'))
  router.get('/www/assets/*file', ctx => replyAsset(ctx, ctx.params['file'] ?? ''))
  router.get('/favicon.ico', ctx => replyAsset(ctx, 'favicon.ico'))
  return router
}

/**
 * Adds the page for browsers at the address of an unknown authorisation request, such as a mistyped page. It must precede the
 * route that polls requests.
 */
function addUnknownRequests(router: Router<State>, dispatcher: Dispatcher, front: Front): void {
  const getClientAddress = clientAddress(dispatcher.services.config.http.trustedProxies)
  for (const path of ['/access/:key', '/reg/access/:key'])
    router.get(path, async (ctx, next) => {
      if (isBrowser(ctx)) {
        const credentials = { ip: getClientAddress(ctx.req), via: 'http' } as const
        const params = { key: ctx.params['key'] }
        const outcome = await dispatcher.call({ method: 'authRequest.poll', params, credentials })
        const isUnknown = !outcome.ok && outcome.error.id === 'unknown-referenced-resource'
        if (isUnknown && front.answers(ctx, 404)) return
      }
      await next()
    })
}
