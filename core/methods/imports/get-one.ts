/** `imports.getOne`: the progress of an import, and the contents of its file. (docs/api/imports.md) */
import { Type } from 'typebox'
import { closed, Identifier } from '../../../schemas/scalars.js'
import { notShared } from '../../auth/allow.js'
import { method } from '../../call/method.js'
import { Import, shownJob } from '../../imports/job.js'
import { ownJob } from '../../imports/params.js'
import { unfinished } from '../../imports/work.js'

export const getOne = method({
  id: 'imports.getOne',
  summary: 'Get the progress of an import and the contents of its file',
  params: Type.Object({ id: Identifier }, closed),
  result: Type.Object({ import: Import }),
  mode: 'read',
  allow: notShared,
  run(call, { id }) {
    const { account, services } = call
    const job = ownJob(call, id)
    // Resumes work left unfinished, as no other call may do so.
    if (unfinished.has(job.state)) services.imports.resume(account)
    return { import: shownJob(job, services.imports.progress(id)) }
  }
})
