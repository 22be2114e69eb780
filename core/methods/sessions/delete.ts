/** `sessions.delete`: ends one session. Not part of the original API. (docs/spec/authentication.md#sessions) */
import { Type } from 'typebox'
import { closed, Identifier, ItemDeletion } from '../../../schemas/scalars.js'
import { personalOnly } from '../../auth/allow.js'
import { fail } from '../../errors.js'
import { method } from '../../call/method.js'
import { endSession, listSessions } from '../../auth/sessions.js'

/** Ends an open session, which may be the caller's own. Throws `unknown-resource` for others. */
export const deleteSession = method({
  id: 'sessions.delete',
  summary: 'Revoke a session',
  params: Type.Object({ id: Identifier }, closed),
  result: Type.Object({ sessionDeletion: ItemDeletion }),
  mode: 'write',
  mayExceedQuota: true,
  allow: personalOnly,
  run(call, { id }) {
    if (!listSessions(call).some(session => session.id === id))
      fail('unknown-resource', `Unknown session "${id}"`)
    endSession(call, id)
    return { sessionDeletion: { id } }
  }
})
