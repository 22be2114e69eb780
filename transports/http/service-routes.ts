/** Routes outside any user: service information, registration, and what the service serves of its own. */
import { Router } from '@koa/router'
import { fail } from '../../core/errors.js'
import type { Dispatcher } from '../../core/call/dispatcher.js'
import { callTarget, targetsOf } from './call.js'
import type { Http, State } from './exchange.js'
import { addDocs } from './pages/docs.js'
import { addPages } from './pages/pages.js'
import { addOperations, type Operations } from './pages/operations.js'
import { replyRoot } from './pages/root.js'
import { serviceRoutes } from './routes.js'
import { replyFile, type StaticFile } from './pages/static.js'

/** Files by their path. */
type Files = ReadonlyMap<string, StaticFile>

/** What is served beside the methods. */
export interface Offer {
  /** What apps load. */
  readonly assets: Files
  /** The built web pages. */
  readonly pages: Files
  readonly operations?: Operations
}

/** The router of all requests that name no user. */
export function serviceRouter(dispatcher: Dispatcher, { assets, operations, pages }: Offer): Router<State> {
  const { core } = dispatcher
  const router = new Router<State>()
  addPages(router, core.config, pages)
  addDocs(router, dispatcher)
  if (operations) addOperations(router, dispatcher, operations)
  const call = callTarget(dispatcher)
  const targetOf = targetsOf(dispatcher)
  for (const route of serviceRoutes) {
    const target = targetOf(route)
    router.register(route.path, [route.verb], ctx => call(ctx, target, ctx.params))
  }
  for (const path of ['/', '/reg', '/access']) router.get(path, ctx => replyRoot(ctx, core))
  const directory = `${JSON.stringify(core.eventTypes.directory)}\n`
  router.get('/www/event-types.json', ctx => {
    ctx.type = 'application/json; charset=utf-8'
    ctx.body = directory
  })
  const replyAsset = (ctx: Http, name: string): void =>
    replyFile(ctx, assets.get(name) ?? fail('unknown-resource', 'There is no such file'))
  router.get('/www/assets/*file', ctx => replyAsset(ctx, ctx.params['file'] ?? ''))
  router.get('/favicon.ico', ctx => replyAsset(ctx, 'favicon.ico'))
  return router
}
