/** Accounts as the operator sees them. (docs/spec/administration.md#users-and-servers) */
import { Type, type Static } from 'typebox'
import { getServerUrl } from './find-account.js'
import type { ServiceCall } from '../call/method.js'
import type { Credentials } from '../call/credentials.js'
import type { Services } from '../call/services.js'
import type { Account } from '../../storage/platform/account.js'
import { nextTurn } from '../../storage/steps.js'

/** One account. Values that are missing or cannot be read are `null`. */
export const ListedUser = Type.Object({
  username: Type.String(),
  email: Type.Unknown(),
  language: Type.Unknown(),
  invitationToken: Type.Unknown(),
  referer: Type.Unknown(),
  appid: Type.Unknown(),
  id: Type.String(),
  /** Milliseconds, as text. */
  registeredTimestamp: Type.String(),
  registeredDate: Type.String(),
  server: Type.String()
})
export type ListedUser = Static<typeof ListedUser>

/** Accounts read from the platform database at a time. */
const pageSize = 100

/** Returns all accounts, or the accounts of one server, newest first. Yields to other work in between. */
export async function listUsers(
  { services, credentials }: ServiceCall,
  server?: string
): Promise<ListedUser[]> {
  const users: ListedUser[] = []
  for (let after = ''; ;) {
    const page = services.platform.listKnown(after, pageSize)
    for (const account of page) {
      if (server !== undefined && getServerName(services, account) !== server) continue
      users.push(await listUserAnywhere(services, credentials, account))
      await nextTurn()
    }
    if (page.length < pageSize) break
    after = page.at(-1)!.username
  }
  return users.toSorted((a, b) => Number(b.registeredTimestamp) - Number(a.registeredTimestamp))
}

/** Returns one account, read by the thread that owns its database. */
async function listUserAnywhere(
  services: Services,
  credentials: Credentials,
  account: Account
): Promise<ListedUser> {
  const { peers } = services.shard
  if (!peers || services.accounts.owns(account)) return toListedUser(services, account)
  const { username } = account
  const request = { method: 'admin.getUser', params: { username }, credentials, isWhole: true } as const
  const outcome = await peers.forward(username, request)
  if (!outcome.ok) return toListedUser(services, account)
  return (JSON.parse(`{${outcome.members}}`) as { user: ListedUser }).user
}

/** Returns the number of accounts by server. Accounts on other servers count as well. */
export function countByServer(services: Services): Map<string, number> {
  const counts = new Map<string, number>()
  for (let after = ''; ;) {
    const page = services.platform.listKnown(after, pageSize)
    for (const account of page) {
      const name = getServerName(services, account)
      counts.set(name, (counts.get(name) ?? 0) + 1)
    }
    if (page.length < pageSize) return counts
    after = page.at(-1)!.username
  }
}

/** Converts an account to its listed form. Fields that cannot be read are `null`. */
export function toListedUser(services: Services, account: Account): ListedUser {
  const read = (name: string): unknown => readField(services, account, name) ?? null
  return {
    username: account.username,
    email: read('email'),
    language: read('language'),
    invitationToken: read('invitationToken'),
    referer: read('referer'),
    appid: read('appId'),
    id: account.id,
    registeredTimestamp: String(Math.round(account.created * 1000)),
    registeredDate: new Date(account.created * 1000).toUTCString(),
    server: getServerName(services, account)
  }
}

/** Reads a field of an account. A damaged or moved database must not keep other accounts from being listed. */
function readField({ accounts }: Services, account: Account, name: string): unknown {
  if (account.relocatedTo !== null) return undefined
  try {
    const store = accounts.openStore(account)
    return store.read(() => store.account.field(name))
  } catch {
    return undefined
  }
}

/** Returns the host name, with its port, of the server that an account lives on. */
function getServerName(services: Services, account: Account): string {
  return new URL(getServerUrl(services, account)).host
}
