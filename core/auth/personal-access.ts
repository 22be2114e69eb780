/** The personal access and session that signing in creates for an app. (docs/spec/authentication.md#sessions) */
import type { Access } from '../../schemas/access.js'
import type { UserStore } from '../../storage/user/user-store.js'
import type { Config } from '../settings/config.js'
import type { ServiceCall } from '../call/method.js'
import { newId, newToken } from '../ids.js'

/** Whether the session of an access is open: last used within `auth.sessionMaxAge`. */
export function isSessionOpen({ auth }: Config, store: UserStore, accessId: string, now: number): boolean {
  const used = store.sessions.lastUse(accessId)
  return used !== undefined && now - used <= auth.sessionMaxAge
}

/**
 * Opens a session for an app, or prolongs the open one, which keeps its token. Must run within a write. Returns the access
 * with its token.
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

/** Notes from where somebody has signed in, and by which provider, for the list of sessions. Must run within a write. */
export function noteSignIn(
  store: UserStore,
  accessId: string,
  { credentials, now }: Pick<ServiceCall, 'credentials' | 'now'>,
  provider?: string
): void {
  const agent = credentials.headers?.['user-agent']
  store.sessions.note(accessId, {
    time: now,
    address: credentials.ip,
    ...(typeof agent === 'string' && { userAgent: agent.slice(0, longestAgent) }),
    ...(provider !== undefined && { provider })
  })
}

const longestAgent = 300

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
