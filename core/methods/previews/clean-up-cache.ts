/** Removes previews that nobody has looked at for long. (docs/spec/previews.md#cache) */
import { Type } from 'typebox'
import { closed } from '../../../schemas/scalars.js'
import { anyone } from '../../auth/allow.js'
import { serviceMethod } from '../../call/method.js'
import { cleanUpPreviews } from '../../platform/preview-clean-up.js'

/** Anybody may ask for it: what is removed is made again when somebody looks at it. */
export const cleanUpCache = serviceMethod({
  id: 'previews.cleanUpCache',
  summary: 'Remove previews that nobody has looked at for long',
  params: Type.Object({}, closed),
  result: Type.Object({ message: Type.String() }),
  mode: 'service',
  allow: anyone,
  async run({ core }) {
    const isDone = await cleanUpPreviews(core)
    return {
      message: isDone
        ? 'Previews that have not been used for long have been removed'
        : 'The cache is being cleaned up, or has just been'
    }
  }
})
