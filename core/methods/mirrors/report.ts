/** `mirrors.report`: the server that keeps a copy tells what was read of it. (docs/api/mirrors.md#reports) */
import { Type } from 'typebox'
import { CopyReport } from '../../../schemas/mirrors/kept-copy.js'
import { anyAccess } from '../../auth/allow.js'
import { method } from '../../call/method.js'
import { receiveReport, requireGrant } from '../../mirrors/kept-copies.js'

/** Records the report in the audit; one that arrives again is ignored. */
export const report = method({
  id: 'mirrors.report',
  summary: 'Report what was read of a copy',
  params: CopyReport,
  result: Type.Object({ received: Type.Literal(true) }),
  mode: 'write',
  mayExceedQuota: true,
  allow: anyAccess,
  isRemoved: config => !config.cmc.enabled,
  run(call, params) {
    receiveReport(call, requireGrant(call), params)
    return { received: true }
  }
})
