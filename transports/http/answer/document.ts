/** Sends a document, such as a table: the text of a result as it is, streamed like a list. */
import type { Dispatcher } from '../../../core/call/dispatcher.js'
import type { Request } from '../../../core/call/outcome.js'
import type { ReleasePlace } from '../../../core/security/long-responses.js'
import type { Exchange } from '../exchange.js'
import { setMissingHeaders } from './headers.js'
import { ResponseWriter } from './response-writer.js'
import { reserveSlot, reply, maxShortLength } from './reply.js'

/**
 * Makes the call and sends the document that the call returns. If it fails or returns none, sends its outcome
 * as JSON.
 */
export async function replyDocument(
  exchange: Exchange,
  dispatcher: Dispatcher,
  call: Request
): Promise<void> {
  const { services } = dispatcher
  const outcome = await dispatcher.call({ ...call, isDocument: true })
  if (!outcome.ok || !outcome.facts?.document) return await reply(exchange, services, outcome, 200)
  const { accessId, members: text, remainder } = outcome
  const { fileName, isBinary, mediaType } = outcome.facts.document
  const { res, state } = exchange
  let leave: ReleasePlace | undefined
  try {
    if (remainder || text.length > maxShortLength) leave = await reserveSlot(exchange, services, { accessId })
    if (accessId !== undefined) res.setHeader(services.config.accessIdHeader, accessId)
    setMissingHeaders(res, state.headers)
    res.appendHeader('Access-Control-Expose-Headers', 'Content-Disposition')
    res.writeHead(200, {
      'Content-Type': mediaType,
      'Content-Disposition': `attachment; filename="${fileName}"`,
      'Content-Security-Policy': "default-src 'none'; sandbox",
      'Cache-Control': 'no-store'
    })
    if (exchange.method === 'HEAD') return void res.end()
    const outgoing = new ResponseWriter(exchange, services)
    await outgoing.sendText(text, remainder ?? emptyTexts(), () => '', isBinary ? 'latin1' : 'utf8')
    await outgoing.waitUntilTaken()
  } finally {
    leave?.()
    await remainder?.return()
  }
}

async function* emptyTexts(): AsyncGenerator<string, void, undefined> {}
