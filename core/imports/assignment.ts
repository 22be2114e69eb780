/** Creates the assignments of readers: the file to read, and how. */
import type { ReadAssignment } from '../../imports/protocol.js'
import type { ImportFiles } from '../../storage/imports/import-files.js'
import type { Account } from '../../storage/platform/account.js'
import type { Services } from '../call/services.js'
import { version } from '../version.js'
import { ImportCaller } from './import-caller.js'
import { listApplicable } from './lane-choices.js'
import type { StoredJob } from './job.js'
import { ImportMemory } from './memory.js'

const fileGoneText = 'The file is no longer available. Upload it again'
/** The error of an import whose file is missing. */
export const missingFileError = { message: fileGoneText, notice: { message: fileGoneText } } as const

/** Moves the file of a job to where readers find it. Returns false if it is missing. It may be on another node, which received it. */
export async function fetchFile(
  { attachments }: Pick<Services, 'attachments'>,
  files: ImportFiles,
  account: Account,
  { fileId, id }: Pick<StoredJob, 'fileId' | 'id'>
): Promise<boolean> {
  files.moveAttachment(account.id, fileId, id)
  if (files.exists(account.id, id)) return true
  // Asking for its size fetches it.
  if ((await attachments.size(account.id, fileId)) === undefined) return false
  files.moveAttachment(account.id, fileId, id)
  return files.exists(account.id, id)
}

/**
 * Creates the assignment for the file of a job, after moving the file to where the process that reads it finds
 * it; `undefined` if the file is missing. Errors: those of {@link ImportCaller.createCall}.
 */
export async function createAssignment(
  services: Services,
  files: ImportFiles,
  account: Account,
  job: StoredJob
): Promise<ReadAssignment | undefined> {
  const { fileName, id, options, parentId } = job
  if (!(await fetchFile(services, files, account, job))) return undefined
  const { accounts } = services
  const key = await new ImportMemory(accounts.openStore(account), job).key()
  // The store may have been closed in the meantime.
  const memory = new ImportMemory(accounts.openStore(account), job)
  return {
    file: files.getPath(account.id, id),
    fileName,
    spool: files.getSpoolPath(account.id, id),
    attachmentSpool: files.getUnpackedPath(account.id, id),
    options: { ...options, mappings: { ...memory.getMappings(), ...options.mappings } },
    types: services.eventTypes.directory.types,
    parentStreamId: parentId ?? '',
    key,
    previousForms: memory.getForms(),
    choices: listApplicable(new ImportCaller(services, account, job).createCall(), memory.getChoices()),
    version
  }
}
