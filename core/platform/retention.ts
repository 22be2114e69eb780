/** Removes records whose retention has ended. */
import type { Services } from '../call/services.js'
import { eraseExpired } from '../shared-secrets/state.js'
import type { Account } from '../../storage/platform/account.js'
import { nextTurn } from '../../storage/steps.js'

/** Numbers of records of each kind that are removed in one commit, so that other writes can run in between. */
const pageSizes = { audit: 500, deletions: 100 } as const

/**
 * Removes the records of one account that are older than the setting `retention` of their kind. Returns how
 * many. `audit`: audit records; the chain of the remaining ones is verified from the last removed one on.
 * `deletions`: records of deleted events with their history, of streams and of accesses.
 * (docs/spec/conventions.md#trash-and-deletion) `isStopped` ends it after the current commit. A retention of
 * 0 keeps all.
 */
export async function removeExpired(
  services: Services,
  account: Account,
  { kind, isStopped = () => false }: { readonly kind: keyof typeof pageSizes; isStopped?: () => boolean }
): Promise<number> {
  const { retention } = services.config[kind]
  if (retention === 0) return 0
  const before = services.clock.now() - retention
  let removed = 0
  while (!isStopped()) {
    const store = services.accounts.openStore(account)
    if (!store.read(() => store[kind].hasBefore(before))) break
    removed += await store.commit(() => store[kind].removeBefore(before, pageSizes[kind]))
    await nextTurn({ account: account.id, access: '' })
  }
  return removed
}

/** Erases the values of an account's shared secrets that have expired. */
export async function eraseExpiredSecrets(services: Services, account: Account): Promise<void> {
  for (;;) {
    const store = services.accounts.openStore(account)
    const now = services.clock.now()
    if (store.read(() => store.sharedSecrets.listExpired(now)).length === 0) return
    await store.commit(() => eraseExpired(store, now))
    await nextTurn({ account: account.id, access: '' })
  }
}
