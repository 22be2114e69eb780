/** Files that wait to be written: they count, and do not wait for ever. (docs/api/imports.md#uploading-a-file) */
import type { Notice } from '../../imports/messages.js'
import type { ImportFiles } from '../../storage/imports/import-files.js'
import type { Account } from '../../storage/platform/account.js'
import type { Call } from '../call/method.js'
import type { Services } from '../call/services.js'
import { quotaExceeded, quotaOf, roomOf } from '../dispatch/quota.js'
import { fail } from '../errors.js'
import { jobOf, keepJob, mostOpen, type ImportState, type KeptJob } from './job.js'

/** Files of one account that wait, at most. */
const mostWaiting = 10
/** States in which nobody works on an import whose file may be there. */
const idle = new Set<ImportState>(['looked', 'cancelled', 'failed'])
const day = 86_400

/** Throws where too many files wait for one of this size (bytes) to be taken in, or too large ones. */
export function assertMayWait({ account, services, store }: Call, size: number): void {
  const open = store.imports.listOpen(mostOpen).map(jobOf)
  const waiting = open.filter(({ id, state }) => state === 'looking' || services.imports.hasFile(account, id))
  if (waiting.length >= mostWaiting || open.length >= mostOpen)
    fail('invalid-operation', `${mostWaiting} imports are already pending. Run or delete one first`)
  // They are not counted with what is stored, and go once they are written.
  const held = waiting.reduce((sum, job) => sum + job.size, 0)
  if (held + size > roomOf(services, account.username)) throw quotaExceeded(quotaOf(services.config, account))
}

/**
 * Removes files that have waited for longer than `imports.maxWaiting`: their imports have failed. What was written of them stays,
 * and can be taken out. Removes those that belong to no open import, too: a process was killed before it could.
 */
export async function expireFiles(services: Services, files: ImportFiles, account: Account): Promise<void> {
  const { maxWaiting } = services.config.imports
  const store = services.accounts.store(account)
  files.removeOthers(account.id, new Set(store.imports.listOpen(mostOpen).map(({ id }) => id)))
  if (maxWaiting === 0) return
  const before = services.clock.now() - maxWaiting
  const told = 'The file has waited for {seconds} and was removed: bring it in again'
  const notice: Notice = { message: told, values: { seconds: maxWaiting } }
  const message = told.replace('{seconds}', lengthOf(maxWaiting))
  for (const job of store.imports.listOpen(mostOpen).map(jobOf)) {
    if (!isOver(job, before) || !files.exists(account.id, job.id)) continue
    const { id } = job
    await store.write(() => {
      const row = store.imports.find(id)
      if (!row || !isOver(jobOf(row), before)) return
      // Here, so that nobody can begin with a file that is about to go.
      files.removeNow(account.id, id)
      keepJob(store, { ...jobOf(row), state: 'failed', message, notice })
    })
  }
}

function isOver({ created, state }: KeptJob, before: number): boolean {
  return idle.has(state) && created < before
}

function lengthOf(seconds: number): string {
  return seconds >= 2 * day ? `${Math.floor(seconds / day)} days` : `${seconds} seconds`
}
