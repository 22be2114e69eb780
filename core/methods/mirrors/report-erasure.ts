/** `mirrors.reportErasure`: the server that has kept a copy tells that it is erased. (docs/api/mirrors.md#ends) */
import { Type } from 'typebox'
import { CopyReport } from '../../../schemas/mirrors/kept-copy.js'
import { getPresentedToken } from '../../auth/authenticate.js'
import { anyone } from '../../auth/allow.js'
import { method } from '../../call/method.js'
import { fail } from '../../errors.js'
import { receiveReport, requireFormerGrant } from '../../mirrors/kept-copies.js'

/**
 * Records that the copy is erased, once; reports that follow are ignored. Needs the token of the permission,
 * which may have ended.
 */
export const reportErasure = method({
  id: 'mirrors.reportErasure',
  summary: 'Report that a copy is erased',
  params: CopyReport,
  result: Type.Object({ received: Type.Literal(true) }),
  mode: 'write',
  mayExceedQuota: true,
  allow: anyone,
  auditActor: 'public',
  worksByAlias: true,
  isRemoved: config => !config.cmc.enabled,
  run(call, params) {
    const access = requireFormerGrant(call, getPresentedToken(call.credentials) ?? '')
    if (params.state !== 'erased')
      fail('invalid-operation', 'The permission has ended: a copy must be erased')
    // Once: an access that has ended must not go on writing into the audit.
    if (call.store.mirrors.findKept(access.id)?.state === 'live') receiveReport(call, access, params)
    return { received: true }
  }
})
