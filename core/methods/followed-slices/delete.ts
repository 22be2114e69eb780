/** Stops following a slice. (docs/spec/accounts.md#followed-slices) */
import { Type } from 'typebox'
import { closed, Identifier, ItemDeletion } from '../../../schemas/scalars.js'
import { personalOnly } from '../../auth/allow.js'
import { fail, quoteText } from '../../errors.js'
import { method } from '../../call/method.js'

/** Returns the deletion. */
export const deleteSlice = method({
  id: 'followedSlices.delete',
  summary: 'Delete a followed slice',
  params: Type.Object({ id: Identifier }, closed),
  result: Type.Object({ followedSliceDeletion: ItemDeletion }),
  mode: 'write',
  mayExceedQuota: true,
  allow: personalOnly,
  run({ changes, store }, { id }) {
    if (!store.followedSlices.remove(id)) fail('unknown-resource', `Unknown followed slice ${quoteText(id)}`)
    changes.add('followedSlices')
    return { followedSliceDeletion: { id } }
  }
})
