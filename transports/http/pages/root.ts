/** The root route: describes the service, as JSON or as text. (docs/spec/conventions.md#root-route) */
import accepts from 'accepts'
import type { Exchange } from '../exchange.js'
import type { SharedServices } from '../../../core/call/dispatcher.js'
import { joinMembers } from '../../../core/json/json-text.js'
import { escapeMarkup } from '../../../core/outgoing/markup.js'
import { reply, replyText } from '../answer/reply.js'

/** Serves `GET /`. */
export async function replyRoot(exchange: Exchange, services: SharedServices): Promise<void> {
  const { apiVersion, service } = services.config
  const learnMoreAt = service.home === '' ? services.config.publicUrl : service.home
  if (accepts(exchange.req).type('application/json') !== false)
    return await reply(
      exchange,
      services,
      { ok: true, members: joinMembers({ cheersFrom: `${service.name} API`, learnMoreAt }) },
      200
    )
  const time = new Date(services.clock.now() * 1000).toISOString()
  const text = `${service.name} API, version ${apiVersion}, ${time}. Learn more at ${learnMoreAt}`
  replyText(exchange, 200, `${escapeMarkup(text)}\n`, 'text/html; charset=utf-8')
}
