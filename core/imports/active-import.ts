/** Imports that are running or queued. */
import type { Account } from '../../storage/platform/account.js'
import type { UserStore } from '../../storage/user/user-store.js'
import type { ImportProgress } from '../call/imports.js'
import type { Services } from '../call/services.js'
import { getJob, saveJob, maxOpenImports, type ImportState, type StoredJob } from './job.js'
import type { ImportReading } from './import-reading.js'

/** States from which a restart resumes. */
export const unfinishedStates = new Set<ImportState>(['looking', 'writing', 'removing'])

export interface QueuedImport {
  readonly account: Account
  readonly id: string
}

export interface ActiveImport extends QueuedImport {
  /** The state that called for this work. */
  state?: ImportState
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

/**
 * Counts an attempt to write a file, so that records written by an earlier attempt do not count as duplicates. Resolves with the counted
 * job; with `undefined` if it has been cancelled or deleted in the meantime.
 */
export async function countAttempt(
  { accounts }: Services,
  account: Account,
  { id }: StoredJob
): Promise<StoredJob | undefined> {
  const store = accounts.openStore(account)
  return await store.write(() => {
    const job = getJob(store, id)
    if (job.state !== 'writing') return undefined
    const counted = { ...job, attempt: job.attempt + 1 }
    saveJob(store, counted)
    return counted
  })
}

/**
 * Saves a job in its final state and runs `andThen`, in one transaction. Resolves with false, without saving, if the job has left the state
 * that called for the work in the meantime.
 */
export async function saveFinalState(
  { accounts }: Services,
  { account, state }: ActiveImport,
  job: StoredJob,
  andThen?: (store: UserStore) => void
): Promise<boolean> {
  const store = accounts.openStore(account)
  return await store.write(() => {
    // The import may have been cancelled or deleted.
    if (store.imports.getState(job.id) !== state) return false
    saveJob(store, job)
    andThen?.(store)
    return true
  })
}
