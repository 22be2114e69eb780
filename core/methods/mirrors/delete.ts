/** `mirrors.delete`: ends a mirror, and erases its copy. (docs/api/mirrors.md#ends) */
import { Type } from 'typebox'
import { Mirror } from '../../../schemas/mirrors/mirror.js'
import { closed, Identifier, ItemDeletion } from '../../../schemas/scalars.js'
import { personalOnly } from '../../auth/allow.js'
import { methodInSteps } from '../../call/method.js'
import { endMirror } from '../../mirrors/ends.js'
import { requireMirror } from '../../mirrors/mirror-rules.js'

/**
 * Ends the mirror and returns it: its copy is erased next. One whose copy is erased is removed, with its
 * receipt; then its deletion is returned.
 */
export const deleteMirror = methodInSteps({
  id: 'mirrors.delete',
  summary: 'End a mirror, and erase its copy',
  params: Type.Object({ id: Identifier }, closed),
  result: Type.Union([Type.Object({ mirror: Mirror }), Type.Object({ mirrorDeletion: ItemDeletion })]),
  mode: 'write',
  mayExceedQuota: true,
  allow: personalOnly,
  isRemoved: config => !config.cmc.enabled,
  *run(call, { id }) {
    const stored = requireMirror(call, id)
    if (stored.mirror.state !== 'erased') return { mirror: yield* endMirror(call, stored, 'deleted') }
    call.store.mirrors.remove(id)
    return { mirrorDeletion: { id, deleted: call.now } }
  },
  // Found out while it runs.
  isLong: () => false
})
