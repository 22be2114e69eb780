/** What a reader is told of the file that it is to read. */
import type { Assignment } from '../../imports/protocol.js'
import type { ImportFiles } from '../../storage/imports/import-files.js'
import type { Account } from '../../storage/platform/account.js'
import type { Services } from '../call/services.js'
import { version } from '../version.js'
import type { KeptJob } from './job.js'
import { ImportMemory } from './memory.js'

const gone = 'The file is not here any more: bring it in again'
/** What an import says whose file is missing. */
export const fileIsGone = { message: gone, notice: { message: gone } } as const

/** Moves the file of a job to where readers find it; whether it is there. Another process may have received it. */
export async function haveFile(
  { attachments }: Pick<Services, 'attachments'>,
  files: ImportFiles,
  account: Account,
  { fileId, id }: Pick<KeptJob, 'fileId' | 'id'>
): Promise<boolean> {
  files.moveAttachment(account.id, fileId, id)
  if (files.exists(account.id, id)) return true
  // Whoever asks for its size has it here.
  if ((await attachments.size(account.id, fileId)) === undefined) return false
  files.moveAttachment(account.id, fileId, id)
  return files.exists(account.id, id)
}

/** What a reader is told of the file of a job. `undefined` if it is missing. */
export async function assignmentOf(
  services: Pick<Services, 'accounts' | 'attachments'>,
  files: ImportFiles,
  account: Account,
  job: KeptJob
): Promise<Assignment | undefined> {
  const { fileName, id, options, parentId } = job
  if (!(await haveFile(services, files, account, job))) return undefined
  const { accounts } = services
  const key = await new ImportMemory(accounts.store(account), job).key()
  // The file may have been closed meanwhile.
  const memory = new ImportMemory(accounts.store(account), job)
  return {
    file: files.getPath(account.id, id),
    fileName,
    spool: files.getSpoolPath(account.id, id),
    unpacked: files.getUnpackedPath(account.id, id),
    options: { ...options, mappings: { ...memory.mappings(), ...options.mappings } },
    below: parentId ?? '',
    key,
    forms: memory.forms(),
    version
  }
}
