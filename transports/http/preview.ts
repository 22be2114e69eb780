/** A preview as an HTTP answer. (service.md, Previews; supplement 21) */
import type { Gateway } from '../../core/gateway.js'
import type { Request } from '../../core/outcome.js'
import type { Preview } from '../../core/previews/previews.js'
import { isListed } from './conditional.js'
import type { Http } from './context.js'
import { setMissing } from './headers.js'
import { reply } from './reply.js'

/** Makes the call and answers the picture, or 204 for an event that is none. */
export async function replyPreview(ctx: Http, gateway: Gateway, call: Request): Promise<void> {
  const { core } = gateway
  const outcome = await gateway.call(call)
  const account = core.accounts.find(call.user ?? '')
  if (!outcome.ok || !account) return await reply(ctx, core, outcome, 200)
  const { res } = ctx
  if (outcome.accessId !== undefined) res.setHeader(core.config.accessIdHeader, outcome.accessId)
  const { preview } = JSON.parse(`{${outcome.members}}`) as { preview: Preview | null }
  if (!preview) {
    ctx.status = 204
    return
  }
  const tag = `"${preview.fileId}-${preview.frame}-${preview.modified}"`
  // The picture may be kept, but who may see it is asked each time.
  res.setHeader('Cache-Control', 'private, no-cache')
  res.setHeader('ETag', tag)
  // Nothing runs in the name of this service, whatever a picture turns out to hold.
  res.setHeader('Content-Security-Policy', "sandbox; default-src 'none'")
  if (isListed(ctx.req.headers['if-none-match'], tag)) {
    ctx.status = 304
    return
  }
  const bytes = await core.previews.bytes(account, preview)
  setMissing(res, ctx.state.headers)
  ctx.respond = false
  res.writeHead(200, { 'Content-Type': 'image/jpeg', 'Content-Length': bytes.length })
  res.end(ctx.method === 'HEAD' ? undefined : bytes)
}
