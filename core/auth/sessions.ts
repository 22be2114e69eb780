/** Lists and ends the open sessions of an account. (docs/spec/authentication.md#sessions) */
import { Type, type Static } from 'typebox'
import { Identifier, Timestamp } from '../../schemas/scalars.js'
import type { Call } from '../call/method.js'
import { isSessionOpen } from './personal-access.js'

/** A session, identified by its access. `created` is when its token was issued. */
export const Session = Type.Object({
  id: Identifier,
  appId: Type.String(),
  /** The browser and its system, where a sign-in has a session of its own. */
  deviceName: Type.Optional(Type.String()),
  created: Timestamp,
  lastUsed: Timestamp,
  expires: Timestamp,
  isCurrent: Type.Boolean(),
  /** The last sign-in: its time, the client's `User-Agent` and IP address, and the identity provider, if one was used. */
  signedIn: Type.Optional(
    Type.Object({
      time: Timestamp,
      userAgent: Type.Optional(Type.String()),
      address: Type.String(),
      provider: Type.Optional(Type.String())
    })
  )
})
export type Session = Static<typeof Session>

/** Returns the open sessions, most recently used first. */
export function listSessions({ caller, services, now, store }: Call): Session[] {
  const { sessionMaxAge } = services.config.auth
  return store.accesses
    .listPersonal()
    .filter(({ id }) => isSessionOpen(services.config, store, id, now))
    .map(access => {
      const lastUsed = store.sessions.lastUse(access.id) ?? now
      const expires = lastUsed + sessionMaxAge
      const isCurrent = access.id === caller.accessId
      // A personal access changes only when it gets a new token.
      const { deviceName, id, modified: created, name: appId } = access
      const signedIn = store.sessions.findSignIn(id)
      return {
        id,
        appId,
        ...(deviceName !== undefined && { deviceName }),
        created,
        lastUsed,
        expires,
        isCurrent,
        ...(signedIn && { signedIn })
      }
    })
    .toSorted((a, b) => b.lastUsed - a.lastUsed)
}

/** Ends a session as signing out does: the access stays, its token becomes invalid, its sockets are closed. */
export function endSession({ changes, store }: Call, id: string): void {
  store.sessions.end(id)
  changes.add('sessions', [], id)
}
