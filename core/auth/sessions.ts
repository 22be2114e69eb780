/** Open sessions of an account, and how they end. (docs/spec/authentication.md#sessions) */
import { Type, type Static } from 'typebox'
import { Identifier, Timestamp } from '../../schemas/scalars.js'
import type { Call } from '../call/method.js'
import { isSessionOpen } from './personal-access.js'

/** A session, known by its access. `created` is when its token was issued. */
export const Session = Type.Object({
  id: Identifier,
  appId: Type.String(),
  created: Timestamp,
  lastUsed: Timestamp,
  expires: Timestamp,
  isCurrent: Type.Boolean()
})
export type Session = Static<typeof Session>

/** The sessions that are open, the one used last first. */
export function listSessions({ caller, core, now, store }: Call): Session[] {
  const { sessionMaxAge } = core.config.auth
  return store.accesses
    .list()
    .filter(access => access.type === 'personal' && isSessionOpen(core.config, store, access.id, now))
    .map(access => {
      const lastUsed = store.sessions.lastUse(access.id) ?? now
      const expires = lastUsed + sessionMaxAge
      const isCurrent = access.id === caller.accessId
      // A personal access changes only when it gets another token.
      const { id, modified: created, name: appId } = access
      return { id, appId, created, lastUsed, expires, isCurrent }
    })
    .toSorted((a, b) => b.lastUsed - a.lastUsed)
}

/** Ends a session as signing out does: the access stays, its token is dead, its sockets are cut. */
export function endSession({ changes, store }: Call, id: string): void {
  store.sessions.end(id)
  changes.add('sessions', [], id)
}
