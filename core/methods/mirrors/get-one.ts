/** `mirrors.getOne`: returns a mirror. (docs/api/mirrors.md) */
import { Type } from 'typebox'
import { Mirror } from '../../../schemas/mirrors/mirror.js'
import { closed, Identifier } from '../../../schemas/scalars.js'
import { personalOnly } from '../../auth/allow.js'
import { method } from '../../call/method.js'
import { requireMirror } from '../../mirrors/mirror-rules.js'

/** Returns the mirror, and what the last contact came to. */
export const getOne = method({
  id: 'mirrors.getOne',
  summary: 'Get a mirror',
  params: Type.Object({ id: Identifier }, closed),
  result: Type.Object({ mirror: Mirror }),
  mode: 'read',
  allow: personalOnly,
  isRemoved: config => !config.cmc.enabled,
  run: (call, { id }) => ({ mirror: requireMirror(call, id).mirror })
})
