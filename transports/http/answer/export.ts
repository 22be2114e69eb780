/** Sends the export of an account: a ZIP that is built while it is being sent. */
import { listArchiveFiles } from '../../../core/account/archive.js'
import { refuseUnknownUser } from '../../../core/unknown-user.js'
import type { Dispatcher } from '../../../core/call/dispatcher.js'
import type { ReleasePlace } from '../../../core/security/long-responses.js'
import type { Request } from '../../../core/call/outcome.js'
import { listFolder } from './folder.js'
import { createZip } from './zip.js'
import type { Exchange } from '../exchange.js'
import { setMissingHeaders } from './headers.js'
import { ResponseWriter } from './response-writer.js'
import { reserveSlot, reply } from './reply.js'

/** Makes the call and sends the ZIP. Removes the draft of the export afterwards. */
export async function replyExport(exchange: Exchange, dispatcher: Dispatcher, call: Request): Promise<void> {
  const { services } = dispatcher
  const { res, state } = exchange
  const outcome = await dispatcher.call(call)
  const account = services.accounts.find(call.user ?? '')
  if (!outcome.ok) return await reply(exchange, services, outcome, 200)
  const { draft, folder } = outcome.facts ?? {}
  let leave: ReleasePlace | undefined
  try {
    if (!account) refuseUnknownUser(services.accounts, call.user ?? '')
    leave = await reserveSlot(exchange, services, { accessId: outcome.accessId })
    const reader = draft === undefined ? undefined : services.exports.open(draft)
    try {
      if (outcome.accessId !== undefined) res.setHeader(services.config.accessIdHeader, outcome.accessId)
      const day = new Date(services.clock.now() * 1000).toISOString().slice(0, 10)
      setMissingHeaders(res, state.headers)
      res.writeHead(200, {
        'Content-Type': 'application/zip',
        'Content-Disposition': `attachment; filename="${account.username}-${day}.zip"`,
        'Cache-Control': 'no-store',
        'X-Content-Type-Options': 'nosniff'
      })
      if (exchange.method === 'HEAD') return void res.end()
      const files = reader
        ? listArchiveFiles(account, reader, services.attachments, {
            includesSecrets: false,
            createdAt: services.clock.now()
          })
        : listFolder(dispatcher, call, account, folder!)
      const outgoing = new ResponseWriter(exchange, services)
      await outgoing.sendChunks(await createZip(files), () => dispatcher.recheck(call))
      await outgoing.waitUntilTaken()
    } finally {
      reader?.close()
    }
  } finally {
    leave?.()
    if (draft !== undefined) await services.exports.discard(draft)
  }
}
