/** What signing in leaves behind: the personal access of an app, and its session. (docs/spec/authentication.md#sessions) */
import type { Access } from '../../schemas/access.js'
import type { UserStore } from '../../storage/user/user-store.js'
import type { Config } from '../settings/config.js'
import { newId, newToken } from '../ids.js'

/** Whether the access's session is open: used within the time that one lasts. */
export function isSessionOpen({ auth }: Config, store: UserStore, accessId: string, now: number): boolean {
  const used = store.sessions.lastUse(accessId)
  return used !== undefined && now - used <= auth.sessionMaxAge
}

/**
 * Opens a session for an app, or prolongs the one that is open: its token stays the same then. Only within a write.
 * Answers the access with its token.
 */
export function openSession(config: Config, store: UserStore, appId: string, now: number): Access {
  const known = store.accesses.findByName('personal', appId)
  if (known && isSessionOpen(config, store, known.id, now)) {
    store.sessions.touch(known.id, now)
    return known
  }
  const access: Access = known
    ? { ...known, token: newToken(), modified: store.stamp(now), modifiedBy: 'system' }
    : newPersonalAccess(appId, store.stamp(now))
  const kept = known ? store.accesses.update(access) : store.accesses.insert(access)
  store.sessions.open(kept.id, now)
  return kept
}

function newPersonalAccess(name: string, now: number): Access {
  return {
    id: newId(),
    token: newToken(),
    type: 'personal',
    name,
    created: now,
    createdBy: 'system',
    modified: now,
    modifiedBy: 'system'
  }
}
