/** Sends a preview. (docs/spec/previews.md#reading) */
import type { Dispatcher } from '../../../core/call/dispatcher.js'
import type { ReleasePlace } from '../../../core/security/long-responses.js'
import type { Request } from '../../../core/call/outcome.js'
import { watchClient, type Exchange } from '../exchange.js'
import { matchesETag, setMissingHeaders } from './headers.js'
import { ResponseWriter } from './response-writer.js'
import { reserveSlot, reply, replyNothing, maxShortLength } from './reply.js'

/** Makes the call and sends the image, or 204 if the event has none. Sends 304 if the client has it. */
export async function replyPreview(exchange: Exchange, dispatcher: Dispatcher, call: Request): Promise<void> {
  const { services } = dispatcher
  const outcome = await dispatcher.call({ ...call, signal: watchClient(exchange) })
  const account = services.accounts.find(call.user ?? '')
  if (!outcome.ok || !account) return await reply(exchange, services, outcome, 200)
  const { req, res, state } = exchange
  if (outcome.accessId !== undefined) res.setHeader(services.config.accessIdHeader, outcome.accessId)
  const { preview } = outcome.facts ?? {}
  if (!preview) return replyNothing(exchange, 204)
  const tag = `"${preview.fileId}-${preview.frame}-${preview.modified}"`
  // Caches may store the image, but must revalidate it: permissions change.
  res.setHeader('Cache-Control', 'private, no-cache')
  res.setHeader('ETag', tag)
  // Content must never run as script of this origin, whatever the image contains.
  res.setHeader('Content-Security-Policy', "sandbox; default-src 'none'")
  if (matchesETag(req.headers['if-none-match'], tag)) return replyNothing(exchange, 304)
  const bytes = await services.previews.bytes(account, preview)
  let leave: ReleasePlace | undefined
  try {
    const { accessId } = outcome
    if (bytes.length > maxShortLength) leave = await reserveSlot(exchange, services, { accessId })
    setMissingHeaders(res, state.headers)
    res.writeHead(200, { 'Content-Type': 'image/jpeg', 'Content-Length': bytes.length })
    if (exchange.method === 'HEAD') return void res.end()
    const outgoing = new ResponseWriter(exchange, services)
    await outgoing.sendChunks(splitBytes(bytes), () => dispatcher.recheck(call))
    await outgoing.waitUntilTaken()
  } catch (error) {
    if (!res.headersSent) res.removeHeader('ETag')
    throw error
  } finally {
    leave?.()
  }
}

async function* splitBytes(bytes: Buffer): AsyncGenerator<Buffer, void, undefined> {
  for (let start = 0; start < bytes.length; start += maxShortLength)
    yield bytes.subarray(start, start + maxShortLength)
}
