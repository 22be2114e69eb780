/** Routes for operators about the process itself: its state, its calls, its settings. (docs/spec/administration.md#state) */
import type { Router } from '@koa/router'
import type { Credentials } from '../../../core/call/credentials.js'
import type { Dispatcher } from '../../../core/call/dispatcher.js'
import { createSuccess } from '../../../core/call/outcome.js'
import { joinMembers } from '../../../core/json/json-text.js'
import { createChecker } from '../../../core/validation/params.js'
import { SettingsUpdate } from '../../../schemas/configuration.js'
import { reply } from '../answer/reply.js'
import type { PageContext, ExchangeState } from '../exchange.js'
import { createClientAddressReader } from '../request/client-address.js'
import { getOperatorCredentials } from '../request/credentials.js'
import { readDeclaredBody } from '../request/declared-body.js'

/** Reports the state of the service. */
export interface Monitor {
  /** Returns the current state of the service. */
  getState(): Promise<object>
  /** Returns the calls of the last day by minute, oldest first. */
  listMinutes(): readonly object[]
}

/** An authenticated operator; without a user name if the admin key was used. */
export interface Operator {
  readonly ip: string
  readonly username: string | undefined
}

/** Actions of operators on the process. Each is recorded in the activity log. */
export interface OperatorActions {
  /** Returns the settings with their sources. The only action that is not recorded. */
  listSettings(): object
  /**
   * Stores changed settings, which take effect at the next start, and returns all. Errors: 409 if others were
   * stored meanwhile, `invalid-parameters-format`.
   */
  updateSettings(operator: Operator, params: SettingsUpdate): Promise<object>
  /**
   * Starts a backup outside the schedule, without waiting for it. Errors: `invalid-operation` if no destination
   * is set, in a cluster, and (409) while another one is running.
   */
  startBackup(operator: Operator): Promise<object>
  /** Restarts the service once the response has been sent. */
  restart(operator: Operator): Promise<object>
}

/** Adds the routes of the monitor, for callers that may call `system.getOverview`. */
export function addMonitorRoutes(
  router: Router<ExchangeState>,
  dispatcher: Dispatcher,
  monitor: Monitor
): void {
  const add = createRouteAdder(router, dispatcher)
  add('get', '/system/state', async () => ({ state: await monitor.getState() }))
  add('get', '/system/minutes', () => ({ minutes: monitor.listMinutes() }))
}

/** Adds the routes of the actions, for the same callers. */
export function addActionRoutes(
  router: Router<ExchangeState>,
  dispatcher: Dispatcher,
  operatorActions: OperatorActions
): void {
  const add = createRouteAdder(router, dispatcher)
  const check = createChecker(SettingsUpdate)
  add('get', '/system/configuration', () => ({ configuration: operatorActions.listSettings() }))
  add('patch', '/system/configuration', async (operator, ctx) => {
    const params = await readDeclaredBody(ctx, dispatcher.services, operator.ip)
    check(params)
    return { configuration: await operatorActions.updateSettings(operator, params as SettingsUpdate) }
  })
  add('post', '/system/backup', async operator => ({ backup: await operatorActions.startBackup(operator) }))
  add('post', '/system/restart', async operator => ({ restart: await operatorActions.restart(operator) }))
}

type Handler = (operator: Operator, ctx: PageContext) => Promise<object> | object

/** Returns a function that adds a route for operators. Each request is authorized first, as `system.getOverview` is. */
function createRouteAdder(router: Router<ExchangeState>, dispatcher: Dispatcher) {
  const { services } = dispatcher
  const getClientAddress = createClientAddressReader(services.config.http.trustedProxies)
  return (verb: 'get' | 'patch' | 'post', path: string, handle: Handler): void => {
    router[verb](path, async ctx => {
      const ip = getClientAddress(ctx.req)
      const credentials: Credentials = getOperatorCredentials(ctx, services, { ip, via: 'http' })
      const admitted = await dispatcher.call({ method: 'system.getOverview', params: {}, credentials })
      if (!admitted.ok) throw admitted.error
      ctx.set('Cache-Control', 'no-store')
      const result = await handle({ ip, username: credentials.pageUser }, ctx)
      await reply(ctx, services, createSuccess(joinMembers(result)), 200)
    })
  }
}
