/** Limits the number, size and age of uploaded files whose import has not been written. (docs/api/imports.md#uploading-a-file) */
import type { Notice } from '../../imports/messages.js'
import type { ImportFiles } from '../../storage/imports/import-files.js'
import type { Account } from '../../storage/platform/account.js'
import type { Call } from '../call/method.js'
import type { Services } from '../call/services.js'
import { createQuotaError, getQuota, getBytesLeft } from '../dispatch/quota.js'
import { fail } from '../errors.js'
import { parseJob, saveJob, maxOpenImports, type ImportState, type StoredJob } from './job.js'

/** Maximum number of waiting files of one account. */
const maxWaitingFiles = 10
/** States in which an import is not running and may have a file. */
const idleStates = new Set<ImportState>(['looked', 'cancelled', 'failed'])
const day = 86_400

/**
 * Requires that a file of `size` bytes may be added to the files that wait. Errors: `invalid-operation` if 10
 * wait, or 1000 imports are open; `user-intervention-required` if the files that wait would exceed the quota.
 */
export function assertMayUpload({ account, services, store }: Call, size: number): void {
  const open = store.imports.listOpen(maxOpenImports).map(parseJob)
  const waiting = open.filter(({ id, state }) => state === 'looking' || services.imports.hasFile(account, id))
  if (waiting.length >= maxWaitingFiles || open.length >= maxOpenImports)
    fail('invalid-operation', `${maxWaitingFiles} imports are already pending. Run or delete one first`)
  // Waiting files do not count as used storage, and are removed once they are written.
  const waitingBytes = waiting.reduce((sum, job) => sum + job.size, 0)
  if (waitingBytes + size > getBytesLeft(services, account.username))
    throw createQuotaError(getQuota(services.config, account))
}

/**
 * Removes files that have waited for longer than `imports.maxWaiting` (seconds); their imports fail. Data that has been written stays,
 * and can be undone. Also removes files that belong to no open import, which a killed process can leave.
 */
export async function expireFiles(services: Services, files: ImportFiles, account: Account): Promise<void> {
  const { maxWaiting } = services.config.imports
  const store = services.accounts.openStore(account)
  files.removeOthers(account.id, new Set(store.imports.listOpen(maxOpenImports).map(({ id }) => id)))
  if (maxWaiting === 0) return
  const createdBefore = services.clock.now() - maxWaiting
  const template = 'The file was deleted because it was not imported within {seconds}. Upload it again'
  const notice: Notice = { message: template, values: { seconds: maxWaiting } }
  const message = template.replace('{seconds}', formatDuration(maxWaiting))
  for (const job of store.imports.listOpen(maxOpenImports).map(parseJob)) {
    if (!isExpired(job, createdBefore) || !files.exists(account.id, job.id)) continue
    const { id } = job
    await store.write(() => {
      const row = store.imports.find(id)
      if (!row || !isExpired(parseJob(row), createdBefore)) return
      // Within the transaction, so that no import starts with a file that is about to be removed.
      files.removeNow(account.id, id)
      saveJob(store, { ...parseJob(row), state: 'failed', message, notice })
    })
  }
}

function isExpired({ created, state }: StoredJob, createdBefore: number): boolean {
  return idleStates.has(state) && created < createdBefore
}

function formatDuration(seconds: number): string {
  return seconds >= 2 * day ? `${Math.floor(seconds / day)} days` : `${seconds} seconds`
}
