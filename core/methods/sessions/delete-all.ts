/** `sessions.deleteAll`: signs out everywhere. Not part of the original API. (docs/spec/authentication.md#sessions) */
import { Type } from 'typebox'
import { closed, ItemDeletion, orNull } from '../../../schemas/scalars.js'
import { personalOnly } from '../../auth/allow.js'
import { method } from '../../call/method.js'
import { endSession, listSessions } from '../../auth/sessions.js'

/** Ends all sessions but the caller's own; with `includeCurrent` also the caller's own session. */
export const deleteAll = method({
  id: 'sessions.deleteAll',
  summary: 'Revoke all other sessions',
  params: Type.Object({ includeCurrent: orNull(Type.Boolean()) }, closed),
  result: Type.Object({ sessionDeletions: Type.Array(ItemDeletion) }),
  mode: 'write',
  mayExceedQuota: true,
  allow: personalOnly,
  run(call, { includeCurrent }) {
    const ended = listSessions(call).filter(({ isCurrent }) => includeCurrent === true || !isCurrent)
    for (const { id } of ended) endSession(call, id)
    return { sessionDeletions: ended.map(({ id }) => ({ id })) }
  }
})
