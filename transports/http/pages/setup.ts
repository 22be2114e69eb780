/** Routes of the page that sets up the service, which is opened with a link that works once. (docs/spec/administration.md#set-up) */
import type { Router } from '@koa/router'
import type { Dispatcher } from '../../../core/call/dispatcher.js'
import { createSuccess } from '../../../core/call/outcome.js'
import { joinMembers } from '../../../core/json/json-text.js'
import { createChecker } from '../../../core/validation/params.js'
import { SetupFinish, SetupCheck, SetupMail } from '../../../schemas/setup.js'
import { reply } from '../answer/reply.js'
import type { ExchangeState } from '../exchange.js'
import { createClientAddressReader } from '../request/client-address.js'
import { readDeclaredBody } from '../request/declared-body.js'

/** Actions of set-up. Each throws `forbidden` unless the secret is the one in the link. */
export interface SetupActions {
  /**
   * Returns the choices and the current values, without secrets. Errors, as of all actions: `forbidden` for an
   * invalid or expired link, `too-many-requests` after too many of them.
   */
  getChoices(ip: string, params: SetupCheck): object
  /**
   * Sends a mail with the chosen mail server, and stores nothing. Errors also: `invalid-operation` if no server
   * is set, or with the server's answer if it fails; `invalid-parameters-format`.
   */
  sendTestMail(ip: string, params: SetupMail): Promise<void>
  /**
   * Creates the operator's account, stores the choices, ends the link, and restarts the service. Errors also:
   * `invalid-parameters-format`, and those of creating an account.
   */
  finish(ip: string, params: SetupFinish): Promise<object>
}

/**
 * Adds the routes of the first setup, whose params are checked before an action is called. Errors:
 * `invalid-parameters-format`, and those of the actions.
 */
export function addSetupRoutes(
  router: Router<ExchangeState>,
  { services }: Dispatcher,
  actions: SetupActions
): void {
  const getClientAddress = createClientAddressReader(services.config.http.trustedProxies)
  const add = (path: string, check: (body: unknown) => void, handle: Handler): void => {
    router.post(path, async ctx => {
      const ip = getClientAddress(ctx.req)
      const body = await readDeclaredBody(ctx, services, ip)
      check(body)
      ctx.set('Cache-Control', 'no-store')
      await reply(ctx, services, createSuccess(joinMembers(await handle(ip, body))), 200)
    })
  }
  // The checks ensure these types.
  add('/system/setup/look', createChecker(SetupCheck), (ip, params) =>
    actions.getChoices(ip, params as SetupCheck)
  )
  add('/system/setup/mail', createChecker(SetupMail), async (ip, params) => {
    await actions.sendTestMail(ip, params as SetupMail)
    return {}
  })
  add('/system/setup', createChecker(SetupFinish), (ip, params) => actions.finish(ip, params as SetupFinish))
}

type Handler = (ip: string, params: unknown) => Promise<object> | object
