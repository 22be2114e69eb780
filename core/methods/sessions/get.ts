/** `sessions.get`: where the user is signed in. Not part of the original API. (docs/spec/authentication.md#sessions) */
import { Type } from 'typebox'
import { closed } from '../../../schemas/scalars.js'
import { personalOnly } from '../../auth/allow.js'
import { method } from '../../call/method.js'
import { listSessions, Session } from '../../auth/sessions.js'
import { getFactor } from '../../sign-in/mfa/factor.js'

/** Returns the open sessions, most recently used first, and whether signing in takes a second factor. */
export const get = method({
  id: 'sessions.get',
  summary: 'List the sessions of the user',
  params: Type.Object({}, closed),
  result: Type.Object({ sessions: Type.Array(Session), hasSecondFactor: Type.Boolean() }),
  mode: 'read',
  allow: personalOnly,
  run: call => ({ sessions: listSessions(call), hasSecondFactor: getFactor(call.store) !== undefined })
})
