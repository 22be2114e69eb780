/** `mfa.deactivate`: removes the second factor. (docs/spec/mfa.md#removing-a-factor) */
import { Type } from 'typebox'
import { closed } from '../../../schemas/scalars.js'
import { personalOnly } from '../../auth/allow.js'
import { method } from '../../call/method.js'
import { factorOf, removeFactor } from '../../sign-in/mfa/factor.js'
import { tell } from '../../sign-in/notices/notices.js'

/** Removes the factor, its recovery codes and its sessions; without a factor it does nothing. */
export const deactivate = method({
  id: 'mfa.deactivate',
  summary: 'Use a second factor no longer',
  params: Type.Object({}, closed),
  result: Type.Object({ message: Type.String() }),
  mode: 'write',
  mayExceedQuota: true,
  allow: personalOnly,
  run(call) {
    const { store } = call
    if (factorOf(store)) tell(call, { kind: 'secondFactorOff' })
    removeFactor(store)
    return { message: 'Signing in takes no second factor any more' }
  }
})
