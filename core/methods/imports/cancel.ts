/** `imports.cancel`: stops the work on an import. (docs/api/imports.md) */
import { Type } from 'typebox'
import { closed, Identifier } from '../../../schemas/scalars.js'
import { notShared } from '../../auth/allow.js'
import { method } from '../../call/method.js'
import { fail } from '../../errors.js'
import { Import, saveJob, toPublicImport, type StoredJob } from '../../imports/job.js'
import { getOwnJob } from '../../imports/params.js'

/**
 * Stops the import, and returns it. Records already written stay: the import may be resumed or deleted.
 * Throws `invalid-operation` unless it is being read or written.
 */
export const cancel = method({
  id: 'imports.cancel',
  summary: 'Cancel an import',
  params: Type.Object({ id: Identifier }, closed),
  result: Type.Object({ import: Import }),
  mode: 'write',
  mayExceedQuota: true,
  allow: notShared,
  async prepare(call, { id }) {
    assertRunning(getOwnJob(call, id))
    await call.services.imports.stop(call.account, id)
  },
  // It goes on as if it had not been stopped.
  async discard({ account, services }) {
    services.imports.resumePending(account)
  },
  run(call, { id }) {
    const job = getOwnJob(call, id)
    assertRunning(job)
    const cancelled: StoredJob = { ...job, state: 'cancelled' }
    saveJob(call.store, cancelled)
    return { import: toPublicImport(cancelled, undefined) }
  }
})

function assertRunning({ state }: StoredJob): void {
  if (state !== 'looking' && state !== 'writing')
    fail('invalid-operation', `The import is ${state} and cannot be cancelled`, { state })
}
