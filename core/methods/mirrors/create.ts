/** `mirrors.create`: begins to keep a copy of what a person has shared. (docs/api/mirrors.md) */
import { Type } from 'typebox'
import { Mirror } from '../../../schemas/mirrors/mirror.js'
import { closed, Identifier } from '../../../schemas/scalars.js'
import { personalOnly } from '../../auth/allow.js'
import { method } from '../../call/method.js'
import { buildMirror } from '../../mirrors/mirror-rules.js'
import { startProgress } from '../../mirrors/progress.js'

/** Adds a mirror and returns it. The copy begins at once. */
export const create = method({
  id: 'mirrors.create',
  summary: 'Keep a copy of what a person has shared',
  params: Type.Object({ accessId: Identifier }, closed),
  result: Type.Object({ mirror: Mirror }),
  mode: 'write',
  allow: personalOnly,
  isRemoved: config => !config.cmc.enabled,
  async prepare({ account, services }) {
    await services.timers.mark(account)
  },
  run(call, { accessId }) {
    const { changes, now, store } = call
    const mirror = buildMirror(call, accessId)
    const progress = startProgress(store.mirrors.listByAccess(mirror.accessId), now)
    store.mirrors.put({ mirror, next: now, progress: JSON.stringify(progress) })
    changes.add('timers')
    return { mirror }
  }
})
