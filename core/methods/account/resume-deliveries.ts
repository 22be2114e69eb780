/** `account.resumeDeliveries`: lets a restored account send again. (docs/spec/consent.md#after-a-restore) */
import { Type } from 'typebox'
import { closed } from '../../../schemas/scalars.js'
import { personalOnly } from '../../auth/allow.js'
import { method } from '../../call/method.js'
import { announceAddress } from '../../cmc/peers/moves.js'

/**
 * Ends the pause that begins when an archive is restored, and tells peers the address of this account.
 * Returns false, and does nothing, if there is no pause.
 */
export const resumeDeliveries = method({
  id: 'account.resumeDeliveries',
  summary: 'Send messages again after a restore',
  params: Type.Object({}, closed),
  result: Type.Object({ resumed: Type.Boolean() }),
  mode: 'write',
  mayExceedQuota: true,
  allow: personalOnly,
  run(call) {
    const { changes, store } = call
    const resumed = store.deliveryPause.since !== null
    if (resumed) {
      store.deliveryPause.end()
      announceAddress(call)
      changes.add('account')
      changes.add('timers')
    }
    return { resumed }
  }
})
