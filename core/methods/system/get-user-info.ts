/** `system.getUserInfo`: what an account stores, and how it is used. (docs/spec/administration.md#information-on-a-user) */
import { Type, type Static } from 'typebox'
import type { Access } from '../../../schemas/access.js'
import { runInTurns, type Steps } from '../../../storage/steps.js'
import type { UserStore } from '../../../storage/user/user-store.js'
import { operatorMethod } from '../../auth/admin.js'
import { requireServedAccount } from '../../platform/find-account.js'

const Counts = Type.Record(Type.String(), Type.Number())

const UserInfo = Type.Object({
  username: Type.String(),
  storageUsed: Type.Object({ dbDocuments: Type.Number(), attachedFiles: Type.Number() }),
  /** When any access of the account was last used; 0 if no access ever was. */
  lastAccess: Type.Number(),
  callsTotal: Type.Number(),
  /** Number of calls of each method, with a colon in place of the first dot; all methods are listed. */
  callsDetail: Counts,
  /** Number of calls by the name of the access; shared accesses are counted together. */
  callsPerAccess: Counts
})

/** `GET /system/user-info/{username}`. */
export const getUserInfo = operatorMethod({
  id: 'system.getUserInfo',
  summary: 'Get the usage of an account',
  params: Type.Object({ username: Type.String() }),
  result: Type.Object({ userInfo: UserInfo }),
  async run({ services }, params) {
    const account = requireServedAccount(services, params.username)
    const getStore = (): UserStore => services.accounts.openStore(account)
    const usage = await runInTurns(computeUsage(getStore, services.methodIds))
    return { userInfo: { username: account.username, ...usage } }
  }
})

/** Accesses that are counted in one step. */
const pageSize = 200

/** Computes the usage in steps: there may be very many accesses. Other work runs in between, and may close the file. */
function* computeUsage(
  getStore: () => UserStore,
  methodIds: readonly string[]
): Steps<Omit<Static<typeof UserInfo>, 'username'>> {
  // Names of accesses are arbitrary, hence maps.
  const byMethod = new Map(methodIds.map(id => [toKey(id), 0]))
  const byAccess = new Map<string, number>()
  let callsTotal = 0
  const count = (store: UserStore, { id, name, type }: Pick<Access, 'id' | 'name' | 'type'>): void => {
    let calls = 0
    for (const [method, number] of Object.entries(store.usage.countCalls(id))) {
      byMethod.set(toKey(method), (byMethod.get(toKey(method)) ?? 0) + number)
      calls += number
    }
    const key = type === 'shared' ? 'shared' : name
    byAccess.set(key, (byAccess.get(key) ?? 0) + calls)
    callsTotal += calls
  }
  const countPage = (after: string): string | undefined => {
    const store = getStore()
    return store.read(() => {
      const page = store.accesses.listNamesAfter(after, pageSize)
      for (const access of page) count(store, access)
      return page.length < pageSize ? undefined : page.at(-1)!.id
    })
  }
  for (let last: string | undefined = ''; last !== undefined;) {
    last = countPage(last)
    yield
  }
  const { attachments, documents } = getStore().storageUsed()
  return {
    storageUsed: { dbDocuments: documents, attachedFiles: attachments },
    lastAccess: getStore().usage.getLatest() ?? 0,
    callsTotal,
    callsDetail: Object.fromEntries(byMethod),
    callsPerAccess: Object.fromEntries(byAccess)
  }
}

function toKey(method: string): string {
  return method.replace('.', ':')
}
