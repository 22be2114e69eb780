/** The root route: what this is, as JSON or as text. (service.md, General conventions 9; supplement 2.2) */
import type { Http } from './context.js'
import type { GatewayCore } from '../../core/gateway.js'
import { members } from '../../core/json.js'
import { reply } from './reply.js'

/** Answers `GET /`. */
export async function replyRoot(ctx: Http, core: GatewayCore): Promise<void> {
  const { apiVersion, service } = core.config
  const learnMoreAt = service.home === '' ? core.config.publicUrl : service.home
  if (ctx.accepts('application/json') !== false)
    return await reply(
      ctx,
      core,
      { ok: true, members: members({ cheersFrom: `${service.name} API`, learnMoreAt }) },
      200
    )
  ctx.type = 'text/html; charset=utf-8'
  const time = new Date(core.clock.now() * 1000).toISOString()
  ctx.body = `${escaped(`${service.name} API, version ${apiVersion}, ${time}. Learn more at ${learnMoreAt}`)}\n`
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
