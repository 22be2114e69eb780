/** Renames a followed slice. (docs/spec/accounts.md#followed-slices) */
import { Type } from 'typebox'
import { FollowedSlice } from '../../../schemas/followed-slice.js'
import { closed, Identifier } from '../../../schemas/scalars.js'
import { personalOnly } from '../../auth/allow.js'
import { fail, quoteText } from '../../errors.js'
import { method } from '../../call/method.js'
import { acceptProtectedFields, refuseProtected } from '../../validation/protected-fields.js'
import { writeSlice } from '../../account/write-slice.js'

/** Fields that cannot be changed. */
const readOnlyFields = ['id', 'url', 'accessToken'] as const

/** Returns the changed slice. */
export const update = method({
  id: 'followedSlices.update',
  summary: 'Update a followed slice',
  params: Type.Object(
    {
      id: Identifier,
      update: Type.Object(
        { name: Type.Optional(FollowedSlice.properties.name), ...acceptProtectedFields(readOnlyFields) },
        closed
      )
    },
    closed
  ),
  result: Type.Object({ followedSlice: FollowedSlice }),
  mode: 'write',
  allow: personalOnly,
  run(call, { id, update: given }) {
    const { changes, store } = call
    const before =
      store.followedSlices.find(id) ?? fail('unknown-resource', `Unknown followed slice ${quoteText(id)}`)
    refuseProtected(call, readOnlyFields, given)
    const followedSlice = { ...before, name: given.name ?? before.name }
    writeSlice(followedSlice, () => store.followedSlices.update(followedSlice))
    changes.add('followedSlices')
    return { followedSlice }
  }
})
