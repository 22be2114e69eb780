/** What the process itself knows, for operators: how it does, what went wrong, its calls. (docs/spec/administration.md#state) */
import type { Router } from '@koa/router'
import type { Dispatcher } from '../../../core/call/dispatcher.js'
import { success } from '../../../core/call/outcome.js'
import { members } from '../../../core/json/json-text.js'
import { reply } from '../answer/reply.js'
import type { State } from '../exchange.js'
import { clientAddress } from '../request/client-address.js'
import { operatorCredentials } from '../request/credentials.js'

/** The sources of these routes. */
export interface Monitor {
  /** How the service does at present. */
  state(): Promise<object>
  /** Calls of the last day, by minute, oldest first. */
  minutes(): readonly object[]
}

/** Adds the routes, for whoever may call `system.getOverview`. */
export function addMonitor(router: Router<State>, dispatcher: Dispatcher, monitor: Monitor): void {
  const { services } = dispatcher
  const addressOf = clientAddress(services.config.http.trustedProxies)
  const add = (path: string, answer: () => Promise<object> | object): void => {
    router.get(path, async ctx => {
      const credentials = operatorCredentials(ctx, services.config, addressOf(ctx.req), 'http')
      const admitted = await dispatcher.call({ method: 'system.getOverview', params: {}, credentials })
      if (!admitted.ok) throw admitted.error
      ctx.set('Cache-Control', 'no-store')
      await reply(ctx, services, success(members(await answer())), 200)
    })
  }
  add('/system/state', async () => ({ state: await monitor.state() }))
  add('/system/minutes', () => ({ minutes: monitor.minutes() }))
}
