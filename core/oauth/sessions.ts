/**
 * Sessions of OAuth clients: accesses of their own, beside the access to which a user has agreed. A session is bound to one key
 * or belongs to the client itself. (docs/api/oauth.md#sessions)
 */
import { randomBytes } from 'node:crypto'
import type { Access } from '../../schemas/access.js'
import type { Steps } from '../../storage/steps.js'
import type { UserStore } from '../../storage/user/user-store.js'
import { createId } from '../ids.js'
import { claimAlias } from '../accesses/aliases.js'
import { createRevocationWork, revokeInSteps } from '../accesses/revoke-access.js'
import { bindingKey, getBoundKey } from '../auth/oauth-marks.js'
import type { Call } from '../call/method.js'
import { isExpired, listStreamIds } from '../permissions/access.js'
import { isRefreshable, visitSessions } from '../permissions/offer-session.js'
import type { Client } from './clients.js'
import { failOAuth } from './errors.js'
import { createAccessToken, getTokenOwner } from './tokens.js'

/** Maximum number of sessions of a client in an account. Those that have not been refreshed for the longest time end first. */
const maxSessions = 100

/** Returns the name of a client's sessions. */
function getSessionName({ id }: Pick<Client, 'id'>): string {
  return `oauth:${id}`
}

/**
 * Finds a session of a client that its own credentials have opened: it is bound to no key, and was created by no user. In steps.
 */
export function* findOwnSession(
  store: UserStore,
  client: Pick<Client, 'id'>,
  isWanted: (session: Access) => boolean
): Steps<Access | undefined> {
  const name = getSessionName(client)
  let found: Access | undefined
  const isOwn = (each: Access): boolean =>
    each.name === name && each.createdBy === 'system' && getBoundKey(each) === undefined
  yield* visitSessions(store, each => (found ??= isOwn(each) && isWanted(each) ? each : undefined), name)
  return found
}

/**
 * Inserts the access of a new session, and ends sessions that cannot be used or refreshed any more, or are too many. Must run within a
 * transaction. Gives it a token unless there is one.
 */
export function* openSession(
  call: Call,
  client: Pick<Client, 'id'>,
  access: Pick<Access, 'alias' | 'clientData' | 'createdBy' | 'expires' | 'permissions'> & {
    readonly token?: string
  }
): Steps<Access> {
  const { account, changes, now, store } = call
  yield* makeRoom(call, client)
  const session = store.accesses.insert({
    ...access,
    id: createId(),
    token: access.token ?? createAccessToken(access.alias ?? account.username),
    type: 'app',
    ...buildNames(client),
    created: now,
    modified: store.stamp(now),
    modifiedBy: access.createdBy
  })
  changes.addAccess(session, listStreamIds(session))
  return session
}

/** Returns whether the token of an access is one that only its client knows: it begins with a name of the account. */
export function isIssued({ account, services }: Call, { alias, token }: Access): boolean {
  const owner = getTokenOwner(token)
  return alias === undefined ? services.accounts.findOwn(owner)?.id === account.id : owner === alias
}

/**
 * Returns a session bound to a key, for an access that the user has just granted: the access itself, with a
 * new token, if no client uses it yet, or a new one with the same permissions, and an alias of its own if the
 * other has one. An access that is bound to this key is returned as it is. Otherwise ends sessions of the
 * client that cannot be used or refreshed any more, or are too many, like {@link openSession}. Must run within a transaction.
 * `use`: the redeemed code, the same if the transaction is repeated.
 */
export function* bindAccess(
  call: Call,
  client: Client,
  access: Access,
  { thumbprint, use }: { readonly thumbprint: string; readonly use: object }
): Steps<Access> {
  const { account, changes, now, store } = call
  if (getBoundKey(access) === thumbprint) return access
  const clientData = { ...access.clientData, [bindingKey]: { jkt: thumbprint } }
  const isUnused = !isIssued(call, access) && store.oauthGrants.list(access.id).length === 0
  if (!isUnused) {
    const { createdBy, expires, permissions } = access
    return yield* openSession(call, client, {
      ...(access.alias !== undefined && { alias: claimAlias(call, use) }),
      clientData,
      createdBy,
      ...(expires !== undefined && { expires }),
      ...(permissions && { permissions })
    })
  }
  yield* makeRoom(call, client)
  const session = store.accesses.update({
    ...access,
    ...buildNames(client),
    token: createAccessToken(access.alias ?? account.username),
    clientData,
    modified: store.stamp(now),
    modifiedBy: access.id
  })
  changes.addAccess(session, listStreamIds(session))
  return session
}

/**
 * Throws `invalid_grant` if the client does not prove the key to which an access is bound, or proves one
 * although it is bound to none.
 */
export function assertSameKey(access: Access, thumbprint: string | undefined): void {
  const key = getBoundKey(access)
  if (key !== thumbprint)
    failOAuth('invalid_grant', 'The access is bound to another key. Ask the user again', access.id)
}

function buildNames(client: Pick<Client, 'id'>): Pick<Access, 'name' | 'deviceName'> & object {
  return {
    name: getSessionName(client),
    deviceName: `oauth-session-${randomBytes(12).toString('base64url')}`
  }
}

/**
 * Ends sessions of a client that cannot be used or refreshed any more, and so many others that one more is within the limit: first those
 * that have expired, by the time when they did, then those that have not, the oldest first.
 */
function* makeRoom(call: Call, client: Pick<Client, 'id'>): Steps<void> {
  const { now, store } = call
  const name = getSessionName(client)
  const expired: string[] = []
  const idle: { readonly id: string; readonly time: number }[] = []
  const open: typeof idle = []
  yield* visitSessions(
    store,
    each => {
      const { created, expires = Infinity, id } = each
      if (each.name !== name) return
      if (!isExpired(each, now)) open.push({ id, time: created })
      else if (isRefreshable(store, each, now)) idle.push({ id, time: expires })
      else expired.push(id)
    },
    name
  )
  const kept = [idle, open].flatMap(sessions => sessions.toSorted((a, b) => a.time - b.time))
  const oldest = kept.slice(0, Math.max(0, kept.length + 1 - maxSessions))
  const addWork = createRevocationWork(store)
  for (const id of [...expired, ...oldest.map(each => each.id)]) {
    const session = store.accesses.find(id)
    if (session) yield* revokeInSteps(call, session, addWork)
  }
}
