/** `imports.getOne`: the progress of an import, and the contents of its file. (docs/api/imports.md) */
import { Type } from 'typebox'
import { closed, Identifier } from '../../../schemas/scalars.js'
import { notShared } from '../../auth/allow.js'
import { method } from '../../call/method.js'
import { Import, toPublicImport } from '../../imports/job.js'
import { getOwnJob } from '../../imports/params.js'
import { unfinishedStates } from '../../imports/active-import.js'

/** Returns an import with its progress. Work left unfinished by another server is resumed. */
export const getOne = method({
  id: 'imports.getOne',
  summary: 'Get the progress of an import and the contents of its file',
  params: Type.Object({ id: Identifier }, closed),
  result: Type.Object({ import: Import }),
  mode: 'read',
  allow: notShared,
  run(call, { id }) {
    const { account, services } = call
    const job = getOwnJob(call, id)
    // Resumes work left unfinished, as no other call may do so.
    if (unfinishedStates.has(job.state)) services.imports.resumeAfterTakeover(account)
    return { import: toPublicImport(job, services.imports.getProgress(id)) }
  }
})
