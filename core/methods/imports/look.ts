/** `imports.look`: analyses a file again with the user's choices. (docs/api/imports.md) */
import { Type } from 'typebox'
import { closed, Identifier } from '../../../schemas/scalars.js'
import { notShared } from '../../auth/allow.js'
import { method } from '../../call/method.js'
import { Import, toPublicImport } from '../../imports/job.js'
import { beginImport, importChoices } from '../../imports/begin-import.js'
import { getOwnJob } from '../../imports/params.js'

/**
 * Returns the import, whose file is then analysed. Nothing is written. The choices are stored for later
 * imports.
 */
export const look = method({
  id: 'imports.look',
  summary: 'Analyse an imported file again',
  params: Type.Object({ id: Identifier, ...importChoices }, closed),
  result: Type.Object({ import: Import }),
  mode: 'write',
  allow: notShared,
  async prepare(call, { id }) {
    getOwnJob(call, id)
    await call.services.imports.prepare(call.account, id)
  },
  run: (call, params) => ({ import: toPublicImport(beginImport(call, params, 'looking'), undefined) })
})
