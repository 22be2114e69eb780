/** The root route: what this is, as JSON or as text. (docs/spec/conventions.md#root-route) */
import accepts from 'accepts'
import type { Exchange } from '../exchange.js'
import type { SharedServices } from '../../../core/call/dispatcher.js'
import { members } from '../../../core/json/json-text.js'
import { reply, replyText } from '../answer/reply.js'

/** Answers `GET /`. */
export async function replyRoot(exchange: Exchange, core: SharedServices): Promise<void> {
  const { apiVersion, service } = core.config
  const learnMoreAt = service.home === '' ? core.config.publicUrl : service.home
  if (accepts(exchange.req).type('application/json') !== false)
    return await reply(
      exchange,
      core,
      { ok: true, members: members({ cheersFrom: `${service.name} API`, learnMoreAt }) },
      200
    )
  const time = new Date(core.clock.now() * 1000).toISOString()
  const text = `${service.name} API, version ${apiVersion}, ${time}. Learn more at ${learnMoreAt}`
  replyText(exchange, 200, `${escaped(text)}\n`, 'text/html; charset=utf-8')
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
