/** `system.getUserInfo`: what an account stores, and how it is used. (docs/spec/administration.md#information-on-a-user) */
import { Type, type Static } from 'typebox'
import type { UserStore } from '../../../storage/user/user-store.js'
import { adminOnly } from '../../auth/admin.js'
import { servedAccount } from '../../platform/find-account.js'
import { serviceMethod } from '../../call/method.js'

const Counts = Type.Record(Type.String(), Type.Number())

const UserInfo = Type.Object({
  username: Type.String(),
  storageUsed: Type.Object({ dbDocuments: Type.Number(), attachedFiles: Type.Number() }),
  /** When any of its accesses was last used; 0 if none ever was. */
  lastAccess: Type.Number(),
  callsTotal: Type.Number(),
  /** By method, with a colon in place of the first dot; all methods are listed. */
  callsDetail: Counts,
  /** By name of the access; shared accesses are counted together. */
  callsPerAccess: Counts
})

/** `GET /system/user-info/{username}`. */
export const getUserInfo = serviceMethod({
  id: 'system.getUserInfo',
  summary: 'Read how much an account is used',
  params: Type.Object({ username: Type.String() }),
  result: Type.Object({ userInfo: UserInfo }),
  mode: 'service',
  allow: adminOnly,
  auditAs: 'admin',
  run({ services }, params) {
    const account = servedAccount(services, params.username)
    const store = services.accounts.store(account)
    return store.read(() => ({
      userInfo: { username: account.username, ...usageOf(store, services.methodIds) }
    }))
  }
})

function usageOf(store: UserStore, methodIds: readonly string[]): Omit<Static<typeof UserInfo>, 'username'> {
  // Names of accesses are their makers' choice: maps, so that any will do.
  const byMethod = new Map(methodIds.map(id => [keyOf(id), 0]))
  const byAccess = new Map<string, number>()
  let lastAccess = 0
  let callsTotal = 0
  for (const { id, name, type } of store.accesses.listNames()) {
    lastAccess = Math.max(lastAccess, store.usage.lastUsed(id) ?? 0)
    let count = 0
    for (const [method, calls] of Object.entries(store.usage.calls(id))) {
      byMethod.set(keyOf(method), (byMethod.get(keyOf(method)) ?? 0) + calls)
      count += calls
    }
    const key = type === 'shared' ? 'shared' : name
    byAccess.set(key, (byAccess.get(key) ?? 0) + count)
    callsTotal += count
  }
  const { attachments, documents } = store.storageUsed()
  return {
    storageUsed: { dbDocuments: documents, attachedFiles: attachments },
    lastAccess,
    callsTotal,
    callsDetail: Object.fromEntries(byMethod),
    callsPerAccess: Object.fromEntries(byAccess)
  }
}

function keyOf(method: string): string {
  return method.replace('.', ':')
}
