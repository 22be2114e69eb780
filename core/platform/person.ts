/** Users as operators see them: how much they use the service, never their data. (docs/spec/administration.md#people) */
import { Type, type Static } from 'typebox'
import type { Account } from '../../storage/platform/account.js'
import type { UserStore } from '../../storage/user/user-store.js'
import type { ServiceCall } from '../call/method.js'
import type { Services } from '../call/services.js'
import { getFactor } from '../sign-in/mfa/factor.js'
import { nextTurn } from '../../storage/steps.js'

const orNull = <S extends ReturnType<typeof Type.Number> | ReturnType<typeof Type.Boolean>>(schema: S) =>
  Type.Union([schema, Type.Null()])

/**
 * Times in seconds, sizes in bytes. Values that cannot be read are `null`: of accounts that are suspended, moved or
 * damaged.
 */
export const Person = Type.Object({
  username: Type.String(),
  created: Type.Number(),
  state: Type.Enum(['active', 'suspended', 'moved', 'closing']),
  suspended: orNull(Type.Number()),
  /** When the account will be deleted at its owner's request. */
  deletion: orNull(Type.Number()),
  isOperator: Type.Boolean(),
  /** Bytes that the account may store; 0 for no limit. */
  quota: Type.Number(),
  /** Whether the limit was set for this account, rather than by the settings. */
  hasOwnQuota: Type.Boolean(),
  documents: orNull(Type.Number()),
  attachments: orNull(Type.Number()),
  /** When any access of the account was last used. */
  lastUsed: orNull(Type.Number()),
  hasSecondFactor: orNull(Type.Boolean()),
  passkeys: orNull(Type.Number())
})
export type Person = Static<typeof Person>

/**
 * Converts one account to what operators see; of accounts that are suspended or have moved, without their
 * use. Throws `AccountElsewhere` in a thread that does not have its file.
 */
export function toPerson({ services }: ServiceCall, account: Account): Person {
  const isHere = account.relocatedTo === null && account.suspended === null
  return {
    ...getPlatformDetails(services, account),
    ...(isHere ? getUsage(services.accounts.openStore(account)) : unknownUsage)
  }
}

/**
 * Returns accounts, each read by the thread that has its file. Yields to other work in between. Of accounts
 * that cannot be read, without their use.
 */
export async function listPersons(call: ServiceCall, accounts: readonly Account[]): Promise<Person[]> {
  const found: Person[] = []
  for (const account of accounts) {
    found.push(await getPersonAnywhere(call, account))
    await nextTurn()
  }
  return found
}

/** Returns what the platform database holds about an account. */
function getPlatformDetails({ config, platform }: Services, account: Account): Omit<Person, keyof Usage> {
  const { created, deletion, id, quota, suspended, username } = account
  return {
    username,
    created,
    state: getState(account),
    suspended,
    deletion,
    // The setting may contain a former name.
    isOperator: config.operators.some(name => platform.find(name)?.id === id),
    quota: quota ?? config.quota.bytes,
    hasOwnQuota: quota !== null
  }
}

function getState({ deletion, relocatedTo, suspended }: Account): Person['state'] {
  if (relocatedTo !== null) return 'moved'
  if (suspended !== null) return 'suspended'
  return deletion === null ? 'active' : 'closing'
}

type Usage = Pick<Person, 'attachments' | 'documents' | 'hasSecondFactor' | 'lastUsed' | 'passkeys'>

const unknownUsage: Usage = {
  documents: null,
  attachments: null,
  lastUsed: null,
  hasSecondFactor: null,
  passkeys: null
}

/** Returns a user as operators see them. Usage is `null` if the thread or node that serves the account does not answer. */
async function getPersonAnywhere(call: ServiceCall, account: Account): Promise<Person> {
  const { credentials, services } = call
  const { peers } = services.shard
  if (!peers || services.accounts.owns(account)) return getPersonHere(call, account)
  const { username } = account
  const outcome = await peers.forward(username, {
    method: 'system.getUser',
    params: { username },
    credentials,
    isWhole: true
  })
  if (!outcome.ok) return { ...getPlatformDetails(services, account), ...unknownUsage }
  return (JSON.parse(`{${outcome.members}}`) as { user: Person }).user
}

/** Returns an account whose file is here. A damaged file must not keep others from being listed. */
function getPersonHere(call: ServiceCall, account: Account): Person {
  try {
    return toPerson(call, account)
  } catch {
    return { ...getPlatformDetails(call.services, account), ...unknownUsage }
  }
}

/** Reads how much an account uses the service from its file. */
function getUsage(store: UserStore): Usage {
  return store.read(() => {
    const { attachments, documents } = store.storageUsed()
    return {
      documents,
      attachments,
      // There may be very many accesses: none of them is read.
      lastUsed: store.usage.getLatest() ?? null,
      hasSecondFactor: getFactor(store) !== undefined,
      passkeys: store.passkeys.size
    }
  })
}
