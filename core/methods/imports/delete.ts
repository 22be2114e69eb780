/** `imports.delete`: undoes an import. (docs/api/imports.md) */
import { Type } from 'typebox'
import { closed, Identifier } from '../../../schemas/scalars.js'
import { notShared } from '../../auth/allow.js'
import { method } from '../../call/method.js'
import { Import, saveJob, toPublicImport, type StoredJob } from '../../imports/job.js'
import { getOwnJob } from '../../imports/params.js'

/**
 * Stops the import and removes what it has created, with the permissions of the caller. Returns the import,
 * which is then being removed: `imports.getOne` shows that until it is gone.
 */
export const deleteImport = method({
  id: 'imports.delete',
  summary: 'Undo an import',
  params: Type.Object({ id: Identifier }, closed),
  result: Type.Object({ import: Import }),
  mode: 'write',
  mayExceedQuota: true,
  allow: notShared,
  async prepare(call, { id }) {
    getOwnJob(call, id)
    await call.services.imports.stop(call.account, id)
  },
  // It goes on as if it had not been stopped.
  async discard({ account, services }) {
    services.imports.resumePending(account)
  },
  run(call, { id }) {
    const { account, caller, services, store } = call
    const { callerId } = caller
    const job: StoredJob = { ...getOwnJob(call, id), state: 'removing', accessId: caller.accessId, callerId }
    saveJob(store, job)
    services.imports.begin(account, id)
    return { import: toPublicImport(job, undefined) }
  }
})
