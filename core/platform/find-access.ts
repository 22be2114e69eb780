/** Finds the account of an access by its id alone. (docs/spec/administration.md#accesses) */
import { Type, type Static } from 'typebox'
import { Access } from '../../schemas/access.js'
import { AccountElsewhere } from '../../storage/errors.js'
import type { Account } from '../../storage/platform/account.js'
import { nextTurn } from '../../storage/steps.js'
import type { UserStore } from '../../storage/user/user-store.js'
import type { ServiceCall } from '../call/method.js'
import type { Services } from '../call/services.js'
import { fail, quoteText } from '../errors.js'

/** An access as operators see it: what it permits, but neither its token nor what apps store with it. */
export const OperatorAccess = Type.Pick(Access, [
  'id',
  'type',
  'name',
  'deviceName',
  'permissions',
  'lastUsed',
  'expires',
  'deleted',
  'created',
  'createdBy',
  'modified',
  'modifiedBy'
])
export type OperatorAccess = Static<typeof OperatorAccess>

const AccessOwner = Type.Object({ username: Type.String(), userId: Type.String() })

/** An access and the account that it belongs to. */
export const OwnedAccess = Type.Object({ access: OperatorAccess, owner: AccessOwner })
export type OwnedAccess = Static<typeof OwnedAccess>

/** Number of accounts that are read from the platform database at a time, and of accounts that are searched at a time. */
const [pageSize, groupSize] = [100, 8]

/**
 * Returns the id of an access without its serial: `id` for `id:3`. Throws `unknown-resource` if the text cannot be the id
 * of an access.
 */
export function parseAccessId(id: string): string {
  const [, base] = /^([^:]+)(?::[1-9][0-9]{0,14})?$/.exec(id) ?? []
  return base ?? refuseUnknownAccess(id)
}

/**
 * Returns the account with a username, also if it is suspended or scheduled for deletion. Throws `unknown-resource` if
 * there is none, or if the account has moved to another server.
 */
export function requireKeptAccount({ platform }: Services, username: string): Account {
  const account = platform.find(username.toLowerCase())
  if (account?.state === 'active' && account.relocatedTo === null) return account
  return fail('unknown-resource', `Unknown user ${quoteText(username)}`)
}

/**
 * Returns an access of an account, also if it is revoked; `undefined` if there is none with this id. Closes the account's
 * file afterwards, unless it was open before. Throws `AccountElsewhere`.
 */
export async function readAccess(
  { accounts }: Services,
  account: Account,
  base: string
): Promise<OwnedAccess | undefined> {
  if (!accounts.owns(account)) throw new AccountElsewhere(account.username)
  let found: OwnedAccess | undefined
  await accounts.runInBackground(account, () => {
    found = readStoredAccess(accounts.openStore(account), account, base)
    return Promise.resolve()
  })
  return found
}

/** Does the same as {@link readAccess} with the account's open store. */
export function readStoredAccess(store: UserStore, account: Account, base: string): OwnedAccess | undefined {
  return store.read(() => {
    const access = store.accesses.findEver(base)
    if (!access) return undefined
    const lastUsed = store.usage.getLastUsed(base) ?? access.lastUsed
    return {
      access: toOperatorAccess({ ...access, ...(lastUsed !== undefined && { lastUsed }) }),
      owner: toOwner(account)
    }
  })
}

/**
 * Searches all accounts for an access, here and on the other threads or nodes: there is no index, since ids of accesses
 * are needed only in rare cases. Throws `unknown-resource` if no account has it, `api-unavailable` if an account that
 * may have it cannot be reached.
 */
export async function findAccess(call: ServiceCall, id: string): Promise<OwnedAccess> {
  const { services } = call
  const base = parseAccessId(id)
  let unreadable = 0
  for (let after = ''; ;) {
    const page = services.platform.listKnown(after, pageSize)
    const kept = page.filter(({ relocatedTo }) => relocatedTo === null)
    for (let at = 0; at < kept.length; at += groupSize) {
      const group = kept.slice(at, at + groupSize)
      const answers = await Promise.all(group.map(account => searchAccount(call, account, base)))
      const found = answers.find(answer => typeof answer === 'object')
      if (found) return found
      unreadable += answers.filter(answer => answer === 'unreadable').length
      await nextTurn()
    }
    if (page.length < pageSize) break
    after = page.at(-1)!.username
  }
  if (unreadable === 0) return refuseUnknownAccess(id)
  return fail('api-unavailable', `The access was not found, but accounts could not be read: ${unreadable}`)
}

/** Searches one account, whichever thread or node has its file. */
async function searchAccount(
  { credentials, services }: ServiceCall,
  account: Account,
  base: string
): Promise<OwnedAccess | 'unreadable' | undefined> {
  const { accounts, shard } = services
  const { username } = account
  try {
    if (!shard.peers || accounts.owns(account)) return await readAccess(services, account, base)
    const params = { id: base, username }
    const request = { method: 'system.getAccess', params, credentials, isWhole: true } as const
    const outcome = await shard.peers.forward(username, request)
    if (outcome.ok) return JSON.parse(`{${outcome.members}}`) as OwnedAccess
    return outcome.error.id === 'unknown-resource' ? undefined : 'unreadable'
  } catch {
    return 'unreadable'
  }
}

/** Throws `unknown-resource`: there is no access with this id. */
export function refuseUnknownAccess(id: string): never {
  return fail('unknown-resource', `No access ${quoteText(id)}`)
}

function toOwner({ id, username }: Account): OwnedAccess['owner'] {
  return { username, userId: id }
}

/** Returns the listed members only: whatever else is stored with an access may be secret. */
function toOperatorAccess(access: Access): OperatorAccess {
  const members = Object.keys(OperatorAccess.properties) as (keyof OperatorAccess)[]
  return Object.fromEntries(
    members.flatMap(name => (access[name] === undefined ? [] : [[name, access[name]]]))
  ) as OperatorAccess
}
