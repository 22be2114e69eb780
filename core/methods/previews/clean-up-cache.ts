/** Removes unused previews. (docs/spec/previews.md#cache) */
import { Type } from 'typebox'
import { closed } from '../../../schemas/scalars.js'
import { anyone } from '../../auth/allow.js'
import { serviceMethod } from '../../call/method.js'
import { cleanUpPreviews } from '../../platform/preview-clean-up.js'

/** Any client may call this: removed previews are rendered again when needed. */
export const cleanUpCache = serviceMethod({
  id: 'previews.cleanUpCache',
  summary: 'Remove unused previews',
  params: Type.Object({}, closed),
  result: Type.Object({ message: Type.String() }),
  mode: 'service',
  allow: anyone,
  async run({ services }) {
    const isDone = await cleanUpPreviews(services)
    return {
      message: isDone
        ? 'Previews that have not been used for long have been removed'
        : 'The cache is being cleaned up, or has just been'
    }
  }
})
