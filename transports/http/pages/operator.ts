/** What the process itself knows and does, for operators: how it runs, its calls, its settings. (docs/spec/administration.md#state) */
import type { Router } from '@koa/router'
import type { Credentials } from '../../../core/call/credentials.js'
import type { Dispatcher } from '../../../core/call/dispatcher.js'
import { success } from '../../../core/call/outcome.js'
import { joinMembers } from '../../../core/json/json-text.js'
import { createChecker } from '../../../core/validation/params.js'
import { SettingsUpdate } from '../../../schemas/configuration.js'
import { reply } from '../answer/reply.js'
import type { Http, State } from '../exchange.js'
import { clientAddress } from '../request/client-address.js'
import { operatorCredentials } from '../request/credentials.js'
import { readDeclaredBody } from '../request/declared-body.js'

/** The sources of these routes. */
export interface Monitor {
  /** How the service does at present. */
  state(): Promise<object>
  /** Calls of the last day, by minute, oldest first. */
  minutes(): readonly object[]
}

/** An operator who has been admitted: a user name, or none with the key. */
export interface Operator {
  readonly ip: string
  readonly username: string | undefined
}

/** Settings that operators change in their page, and what they have the process do. Everything is recorded as their deed. */
export interface Configuration {
  /** Returns the settings with their sources. */
  list(): object
  /** Keeps changed settings. */
  update(operator: Operator, params: SettingsUpdate): Promise<object>
  /** Begins a backup, beside those of the schedule. */
  startBackup(operator: Operator): Promise<object>
  /** Starts the service again, in the same place, once the answer has been sent. */
  restart(operator: Operator): Promise<object>
}

/** Adds the routes, for whoever may call `system.getOverview`. */
export function addMonitor(router: Router<State>, dispatcher: Dispatcher, monitor: Monitor): void {
  const add = addingTo(router, dispatcher)
  add('get', '/system/state', async () => ({ state: await monitor.state() }))
  add('get', '/system/minutes', () => ({ minutes: monitor.minutes() }))
}

/** As {@link addMonitor}, for settings. */
export function addConfiguration(
  router: Router<State>,
  dispatcher: Dispatcher,
  configuration: Configuration
): void {
  const add = addingTo(router, dispatcher)
  const check = createChecker(SettingsUpdate)
  add('get', '/system/configuration', () => ({ configuration: configuration.list() }))
  add('patch', '/system/configuration', async (operator, ctx) => {
    const params = await readDeclaredBody(ctx, dispatcher.services, operator.ip)
    check(params)
    return { configuration: await configuration.update(operator, params as SettingsUpdate) }
  })
  add('post', '/system/backup', async operator => ({ backup: await configuration.startBackup(operator) }))
  add('post', '/system/restart', async operator => ({ restart: await configuration.restart(operator) }))
}

type Answer = (operator: Operator, ctx: Http) => Promise<object> | object

function addingTo(router: Router<State>, dispatcher: Dispatcher) {
  const { services } = dispatcher
  const addressOf = clientAddress(services.config.http.trustedProxies)
  return (verb: 'get' | 'patch' | 'post', path: string, answer: Answer): void => {
    router[verb](path, async ctx => {
      const ip = addressOf(ctx.req)
      const credentials: Credentials = operatorCredentials(ctx, services.config, ip, 'http')
      const admitted = await dispatcher.call({ method: 'system.getOverview', params: {}, credentials })
      if (!admitted.ok) throw admitted.error
      ctx.set('Cache-Control', 'no-store')
      const answered = await answer({ ip, username: credentials.pageUser }, ctx)
      await reply(ctx, services, success(joinMembers(answered)), 200)
    })
  }
}
