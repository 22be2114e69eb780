/** Routes of the page that sets up the service, by a link that is good once. (docs/spec/administration.md#set-up) */
import type { Router } from '@koa/router'
import type { Dispatcher } from '../../../core/call/dispatcher.js'
import { success } from '../../../core/call/outcome.js'
import { joinMembers } from '../../../core/json/json-text.js'
import { createChecker } from '../../../core/validation/params.js'
import { SetupFinish, SetupCheck, SetupMail } from '../../../schemas/setup.js'
import { reply } from '../answer/reply.js'
import type { State } from '../exchange.js'
import { clientAddress } from '../request/client-address.js'
import { readDeclaredBody } from '../request/declared-body.js'

/** Who sets the service up. Every function throws `forbidden` unless the secret is the one of the link. */
export interface SetupDesk {
  /** Returns what can be chosen, and what is in force. */
  look(ip: string, params: SetupCheck): object
  /** Sends a mail with the mail server that was chosen. */
  tryMail(ip: string, params: SetupMail): Promise<void>
  /** Makes the operator's account and keeps what was chosen. */
  finish(ip: string, params: SetupFinish): Promise<object>
}

/** Adds the routes. */
export function addSetup(router: Router<State>, { services }: Dispatcher, desk: SetupDesk): void {
  const addressOf = clientAddress(services.config.http.trustedProxies)
  const add = (path: string, check: (body: unknown) => void, answer: Answer): void => {
    router.post(path, async ctx => {
      const ip = addressOf(ctx.req)
      const body = await readDeclaredBody(ctx, services, ip)
      check(body)
      ctx.set('Cache-Control', 'no-store')
      await reply(ctx, services, success(joinMembers(await answer(ip, body))), 200)
    })
  }
  // What a check lets through is of that type.
  add('/system/setup/look', createChecker(SetupCheck), (ip, params) => desk.look(ip, params as SetupCheck))
  add('/system/setup/mail', createChecker(SetupMail), async (ip, params) => {
    await desk.tryMail(ip, params as SetupMail)
    return {}
  })
  add('/system/setup', createChecker(SetupFinish), (ip, params) => desk.finish(ip, params as SetupFinish))
}

type Answer = (ip: string, params: unknown) => Promise<object> | object
