/** Imports that are running or queued. */
import type { Account } from '../../storage/platform/account.js'
import type { UserStore } from '../../storage/user/user-store.js'
import type { ImportProgress } from '../call/imports.js'
import type { Services } from '../call/services.js'
import { saveJob, maxOpenImports, type ImportState, type StoredJob } from './job.js'
import type { ImportReading } from './import-reading.js'

/** States from which a restart resumes. */
export const unfinishedStates = new Set<ImportState>(['looking', 'writing', 'removing'])

export interface QueuedImport {
  readonly account: Account
  readonly id: string
}

export interface ActiveImport extends QueuedImport {
  reading?: ImportReading
  progress?: ImportProgress
  isStopped: boolean
  done: Promise<void>
}

/**
 * Returns true if an account has no unfinished imports, or its file cannot be opened. False if another node serves the
 * account, since it may come back.
 */
export function isFinished({ accounts }: Services, account: Account): boolean {
  if (!accounts.owns(account)) return false
  try {
    const open = accounts.openStore(account).imports.listOpen(maxOpenImports)
    return !open.some(({ state }) => unfinishedStates.has(state as ImportState))
  } catch {
    return true
  }
}

/** Counts an attempt to write a file, so that records written by an earlier attempt do not count as duplicates. */
export async function countAttempt(
  { accounts }: Services,
  account: Account,
  job: StoredJob
): Promise<StoredJob> {
  const counted = { ...job, attempt: job.attempt + 1 }
  const store = accounts.openStore(account)
  await store.write(() => saveJob(store, counted))
  return counted
}

/** Saves a job in its final state and runs `andThen`, in one transaction, unless the job has left the state `from` in the meantime. */
export async function saveFinalState(
  { accounts }: Services,
  account: Account,
  from: ImportState,
  job: StoredJob,
  andThen?: (store: UserStore) => void
): Promise<void> {
  const store = accounts.openStore(account)
  await store.write(() => {
    // The import may have been cancelled or deleted.
    if (store.imports.getState(job.id) !== from) return
    saveJob(store, job)
    andThen?.(store)
  })
}
