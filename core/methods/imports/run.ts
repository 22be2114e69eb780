/** `imports.run`: writes the contents of a file. (docs/api/imports.md) */
import { Type } from 'typebox'
import { closed, Identifier } from '../../../schemas/scalars.js'
import { notShared } from '../../auth/allow.js'
import { method } from '../../call/method.js'
import { Import, toPublicImport } from '../../imports/job.js'
import { beginImport, importChoices } from '../../imports/begin-import.js'
import { getOwnJob } from '../../imports/params.js'

/** Returns the import, which is then being written. A cancelled or failed import is resumed. */
export const run = method({
  id: 'imports.run',
  summary: 'Run an import',
  params: Type.Object({ id: Identifier, ...importChoices }, closed),
  result: Type.Object({ import: Import }),
  mode: 'write',
  allow: notShared,
  async prepare(call, { id }) {
    getOwnJob(call, id)
    await call.services.imports.prepare(call.account, id)
  },
  run: (call, params) => ({ import: toPublicImport(beginImport(call, params, 'writing'), undefined) })
})
