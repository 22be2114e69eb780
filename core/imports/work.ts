/** Imports that are running or queued. */
import type { Account } from '../../storage/platform/account.js'
import type { UserStore } from '../../storage/user/user-store.js'
import type { ImportProgress } from '../call/imports.js'
import type { Services } from '../call/services.js'
import { keepJob, mostOpen, type ImportState, type KeptJob } from './job.js'
import type { Reading } from './reading.js'

/** States from which a restart resumes. */
export const unfinished = new Set<ImportState>(['looking', 'writing', 'removing'])

export interface QueuedImport {
  readonly account: Account
  readonly id: string
}

export interface Work extends QueuedImport {
  reading?: Reading
  progress?: ImportProgress
  isStopped: boolean
  done: Promise<void>
}

/** Returns true if an account has no unfinished imports. False if another node serves the account, since it may come back. */
export function isDone({ accounts }: Services, account: Account): boolean {
  if (!accounts.owns(account)) return false
  try {
    const open = accounts.store(account).imports.listOpen(mostOpen)
    return !open.some(({ state }) => unfinished.has(state as ImportState))
  } catch {
    return true
  }
}

/** Counts an attempt to write a file, so that records written by an earlier attempt do not count as duplicates. */
export async function attempted({ accounts }: Services, account: Account, job: KeptJob): Promise<KeptJob> {
  const counted = { ...job, attempt: job.attempt + 1 }
  const store = accounts.store(account)
  await store.write(() => keepJob(store, counted))
  return counted
}

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
