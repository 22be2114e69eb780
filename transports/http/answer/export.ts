/** The export of an account as an HTTP answer: a ZIP that is made while it is sent. */
import { archiveOf } from '../../../core/account/archive.js'
import { unknownUser } from '../../../core/unknown-user.js'
import type { Dispatcher } from '../../../core/call/dispatcher.js'
import type { Leave } from '../../../core/security/long-answers.js'
import type { Request } from '../../../core/call/outcome.js'
import { zipped } from './zip.js'
import type { Exchange } from '../exchange.js'
import { setMissing } from './headers.js'
import { Outgoing } from './outgoing.js'
import { placeFor, reply } from './reply.js'

/** Makes the call and answers the ZIP. */
export async function replyExport(exchange: Exchange, dispatcher: Dispatcher, call: Request): Promise<void> {
  const { core } = dispatcher
  const { res, state } = exchange
  const outcome = await dispatcher.call(call)
  const account = core.accounts.find(call.user ?? '')
  if (!outcome.ok) return await reply(exchange, core, outcome, 200)
  const { draft = '' } = outcome.facts ?? {}
  let leave: Leave | undefined
  try {
    if (!account) unknownUser(core.accounts, call.user ?? '')
    leave = await placeFor(exchange, core, outcome.accessId)
    const reader = core.exports.open(draft)
    try {
      if (outcome.accessId !== undefined) res.setHeader(core.config.accessIdHeader, outcome.accessId)
      const day = new Date(core.clock.now() * 1000).toISOString().slice(0, 10)
      setMissing(res, state.headers)
      res.writeHead(200, {
        'Content-Type': 'application/zip',
        'Content-Disposition': `attachment; filename="${account.username}-${day}.zip"`,
        'Cache-Control': 'no-store',
        'X-Content-Type-Options': 'nosniff'
      })
      if (exchange.method === 'HEAD') return void res.end()
      const files = archiveOf(account, reader, core.attachments, {
        hasSecrets: false,
        made: core.clock.now()
      })
      const outgoing = new Outgoing(exchange, core)
      await outgoing.send(await zipped(files), () => dispatcher.recheck(call))
      await outgoing.taken()
    } finally {
      reader.close()
    }
  } finally {
    leave?.()
    await core.exports.discard(draft)
  }
}
