/** The methods on mirrors. (docs/api/mirrors.md) */
import type { AnyMethod } from '../../call/method.js'
import { create } from './create.js'
import { deleteMirror } from './delete.js'
import { getOne } from './get-one.js'
import { get } from './get.js'
import { notify } from './notify.js'
import { reportErasure } from './report-erasure.js'
import { report } from './report.js'

export const mirrorMethods: readonly AnyMethod[] = [
  create,
  deleteMirror,
  getOne,
  get,
  notify,
  report,
  reportErasure
]
