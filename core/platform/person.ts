/** People as operators see them: how much they use the service, never what they keep in it. (docs/spec/administration.md#people) */
import { Type, type Static } from 'typebox'
import type { Account } from '../../storage/platform/account.js'
import type { UserStore } from '../../storage/user/user-store.js'
import type { ServiceCall } from '../call/method.js'
import type { Services } from '../call/services.js'
import { factorOf } from '../sign-in/mfa/factor.js'
import { nextTurn } from '../../storage/steps.js'

const orNothing = <S extends ReturnType<typeof Type.Number> | ReturnType<typeof Type.Boolean>>(schema: S) =>
  Type.Union([schema, Type.Null()])

/** Times in seconds, sizes in bytes. What cannot be read is `null`: of accounts that are suspended, moved or damaged. */
export const Person = Type.Object({
  username: Type.String(),
  created: Type.Number(),
  state: Type.Enum(['active', 'suspended', 'moved', 'closing']),
  suspended: orNothing(Type.Number()),
  /** When it will be deleted at its owner's request. */
  deletion: orNothing(Type.Number()),
  isOperator: Type.Boolean(),
  /** What it may store; 0 for any number. */
  quota: Type.Number(),
  /** Whether that is its own limit, rather than that of the settings. */
  hasOwnQuota: Type.Boolean(),
  documents: orNothing(Type.Number()),
  attachments: orNothing(Type.Number()),
  /** When any of its accesses was last used. */
  lastUsed: orNothing(Type.Number()),
  hasSecondFactor: orNothing(Type.Boolean()),
  passkeys: orNothing(Type.Number())
})
export type Person = Static<typeof Person>

/** Returns one account. Throws `AccountElsewhere` in a thread that does not have its file. */
export function personOf({ services }: ServiceCall, account: Account): Person {
  const isHere = account.relocatedTo === null && account.suspended === null
  return { ...known(services, account), ...(isHere ? used(services.accounts.store(account)) : unread) }
}

/** Returns accounts, each read by the thread that has its file. Yields to other work in between. */
export async function people(call: ServiceCall, accounts: readonly Account[]): Promise<Person[]> {
  const found: Person[] = []
  for (const account of accounts) {
    found.push(await personWherever(call, account))
    await nextTurn()
  }
  return found
}

/** What the platform knows of an account. */
function known({ config }: Services, account: Account): Omit<Person, keyof Used> {
  const { created, deletion, quota, suspended, username } = account
  return {
    username,
    created,
    state: stateOf(account),
    suspended,
    deletion,
    isOperator: config.operators.includes(username),
    quota: quota ?? config.quota.bytes,
    hasOwnQuota: quota !== null
  }
}

function stateOf({ deletion, relocatedTo, suspended }: Account): Person['state'] {
  if (relocatedTo !== null) return 'moved'
  if (suspended !== null) return 'suspended'
  return deletion === null ? 'active' : 'closing'
}

type Used = Pick<Person, 'attachments' | 'documents' | 'hasSecondFactor' | 'lastUsed' | 'passkeys'>

const unread: Used = {
  documents: null,
  attachments: null,
  lastUsed: null,
  hasSecondFactor: null,
  passkeys: null
}

async function personWherever(call: ServiceCall, account: Account): Promise<Person> {
  const { credentials, services } = call
  const { peers } = services.shard
  if (!peers || services.accounts.owns(account)) return personHere(call, account)
  const { username } = account
  const outcome = await peers.forward(username, {
    method: 'system.getUser',
    params: { username },
    credentials,
    isWhole: true
  })
  if (!outcome.ok) return { ...known(services, account), ...unread }
  return (JSON.parse(`{${outcome.members}}`) as { user: Person }).user
}

/** A damaged file must not keep others from being listed. */
function personHere(call: ServiceCall, account: Account): Person {
  try {
    return personOf(call, account)
  } catch {
    return { ...known(call.services, account), ...unread }
  }
}

function used(store: UserStore): Used {
  return store.read(() => {
    const { attachments, documents } = store.storageUsed()
    return {
      documents,
      attachments,
      // There may be very many accesses: none of them is read.
      lastUsed: store.usage.latest() ?? null,
      hasSecondFactor: factorOf(store) !== undefined,
      passkeys: store.passkeys.size
    }
  })
}
