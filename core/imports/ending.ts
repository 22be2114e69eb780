/** Saves the final state of an import. */
import type { Account } from '../../storage/platform/account.js'
import type { UserStore } from '../../storage/user/user-store.js'
import type { Services } from '../call/services.js'
import { keepJob, type ImportState, type KeptJob } from './job.js'

/** Saves a job in its final state and runs `andThen`, in one transaction, unless the job has left the state `from` in the meantime. */
export async function settle(
  { accounts }: Services,
  account: Account,
  from: ImportState,
  job: KeptJob,
  andThen?: (store: UserStore) => void
): Promise<void> {
  const store = accounts.store(account)
  await store.write(() => {
    // It may have been cancelled or deleted.
    if (store.imports.getState(job.id) !== from) return
    keepJob(store, job)
    andThen?.(store)
  })
}
