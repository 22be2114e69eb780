/** `auth.logout`: ends a session. (docs/spec/authentication.md#signing-out) */
import { Type } from 'typebox'
import { personalOnly } from '../../auth/allow.js'
import { method } from '../../call/method.js'
import { endSession } from '../../auth/sessions.js'

/** Ends the session of the token used: the access stays, its token becomes invalid. */
export const logout = method({
  id: 'auth.logout',
  summary: 'Sign out',
  params: Type.Object({}),
  result: Type.Object({}),
  mode: 'write',
  mayExceedQuota: true,
  allow: personalOnly,
  run(call) {
    endSession(call, call.caller.accessId)
    return {}
  }
})
