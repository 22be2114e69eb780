/** Opens the sessions that signing in begins, each with its personal access. (docs/spec/authentication.md#sessions) */
import type { Access } from '../../schemas/access.js'
import type { UserStore } from '../../storage/user/user-store.js'
import type { Config } from '../settings/config.js'
import type { ServiceCall } from '../call/method.js'
import { createId, createToken } from '../ids.js'

/** Returns whether the session of an access is open: last used within `auth.sessionMaxAge` (seconds). */
export function isSessionOpen({ auth }: Config, store: UserStore, accessId: string, now: number): boolean {
  const used = store.sessions.lastUse(accessId)
  return used !== undefined && now - used <= auth.sessionMaxAge
}

/**
 * Opens a session for an app, or prolongs the app's open session, which keeps its token. A session that has
 * ended is opened again with a new token. Must run within a transaction. Returns the access with its token.
 */
export function openSession(config: Config, store: UserStore, appId: string, now: number): Access {
  const known = store.accesses.findByName('personal', appId)
  if (known && isSessionOpen(config, store, known.id, now)) {
    store.sessions.touch(known.id, now)
    return known
  }
  const access: Access = known
    ? { ...known, token: createToken(), modified: store.stamp(now), modifiedBy: 'system' }
    : createPersonalAccess(appId, store.stamp(now))
  const kept = known ? store.accesses.update(access) : store.accesses.insert(access)
  store.sessions.open(kept.id, now)
  return kept
}

/** A session of one of the service's own pages, and the session that ended for it, whose sockets have to be closed. */
interface PageSession {
  readonly access: Access
  /** Id of the access whose session ended. */
  readonly ended?: string
}

/** Maximum open sessions of one of the service's own apps for an account. */
const maxPageSessions = 50

/** A sign-in on one of the service's own pages. */
interface PageSignIn {
  readonly appId: string
  /** The browser and its system; empty if unknown. */
  readonly browser: string
  /** Seconds. */
  readonly now: number
  /** The access of the session that the browser had until now. */
  readonly replaced?: Access | undefined
}

/**
 * Opens a separate session for a sign-in on one of the service's own pages. It takes over the access of `replaced`, the
 * session that the browser had until now, or the access of a session that has ended. If {@link maxPageSessions} are
 * open, the least recently used session ends. Must run within a transaction.
 * (docs/spec/authentication.md#sessions-of-pages)
 */
export function openPageSession(
  config: Config,
  store: UserStore,
  { appId, browser, now, replaced }: PageSignIn
): PageSession {
  const known = store.accesses.listPersonal().filter(({ name }) => name === appId)
  const lastUse = ({ id }: Access): number => store.sessions.lastUse(id) ?? 0
  const [longestAgo] = known.toSorted((a, b) => lastUse(a) - lastUse(b))
  const isFree =
    longestAgo && (!isSessionOpen(config, store, longestAgo.id, now) || known.length >= maxPageSessions)
  const former = known.find(({ id }) => id === replaced?.id) ?? (isFree ? longestAgo : undefined)
  const ended = [replaced, former].flatMap(each => (each && store.sessions.end(each.id) ? each.id : []))
  const { deviceName: _former, ...rest } = former ?? createPersonalAccess(appId, store.stamp(now))
  const deviceName = chooseDeviceName(
    browser,
    known.filter(({ id }) => id !== former?.id)
  )
  const access = { ...rest, ...(deviceName !== '' && { deviceName }) }
  const kept = former
    ? store.accesses.update({
        ...access,
        token: createToken(),
        modified: store.stamp(now),
        modifiedBy: 'system'
      })
    : store.accesses.insert(access)
  store.sessions.open(kept.id, now)
  return { access: kept, ...(ended[0] !== undefined && { ended: ended[0] }) }
}

/** Returns the name of a browser, with a number if other accesses of the app have the same name. */
function chooseDeviceName(browser: string, others: readonly Access[]): string {
  const taken = new Set(others.map(({ deviceName = '' }) => deviceName))
  let name = browser
  for (let number = 2; taken.has(name); number++) name = `${browser} (${number})`.trim()
  return name
}

/** Records where a user has signed in from, and by which provider, for the list of sessions. Must run within a transaction. */
export function recordSignIn(
  store: UserStore,
  accessId: string,
  { credentials, now }: Pick<ServiceCall, 'credentials' | 'now'>,
  provider?: string
): void {
  const agent = credentials.headers?.['user-agent']
  store.sessions.recordSignIn(accessId, {
    time: now,
    address: credentials.ip,
    ...(typeof agent === 'string' && { userAgent: agent.slice(0, maxAgentLength) }),
    ...(provider !== undefined && { provider })
  })
}

const maxAgentLength = 300

function createPersonalAccess(name: string, now: number): Access {
  return {
    id: createId(),
    token: createToken(),
    type: 'personal',
    name,
    created: now,
    createdBy: 'system',
    modified: now,
    modifiedBy: 'system'
  }
}
