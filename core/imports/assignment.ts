/** What a reader is told of the file that it is to read. */
import type { Assignment } from '../../imports/protocol.js'
import type { ImportFiles } from '../../storage/imports/import-files.js'
import type { Account } from '../../storage/platform/account.js'
import type { Services } from '../call/services.js'
import { version } from '../version.js'
import type { KeptJob } from './job.js'
import { ImportMemory } from './memory.js'

/** Moves the file of a job to where readers find it. `undefined` if it is missing. */
export async function assignmentOf(
  { accounts }: Services,
  files: ImportFiles,
  account: Account,
  job: KeptJob
): Promise<Assignment | undefined> {
  const { fileId, fileName, id, options, parentId } = job
  files.take(account.id, fileId, id)
  if (!files.exists(account.id, id)) return undefined
  const key = await new ImportMemory(accounts.store(account), job).key()
  // The file may have been closed meanwhile.
  const memory = new ImportMemory(accounts.store(account), job)
  return {
    file: files.path(account.id, id),
    fileName,
    spool: files.spool(account.id, id),
    unpacked: files.unpacked(account.id, id),
    options: { ...options, mappings: { ...memory.mappings(), ...options.mappings } },
    below: parentId ?? '',
    key,
    forms: memory.forms(),
    version
  }
}
