/** Lists followed slices. (docs/spec/accounts.md#followed-slices) */
import { Type } from 'typebox'
import { FollowedSlice } from '../../../schemas/followed-slice.js'
import { closed } from '../../../schemas/scalars.js'
import { personalOnly } from '../../auth/allow.js'
import { method } from '../../call/method.js'

/** All of them, by name. */
export const get = method({
  id: 'followedSlices.get',
  summary: 'List the parts of others’ data that are followed',
  params: Type.Object({}, closed),
  result: Type.Object({ followedSlices: Type.Array(FollowedSlice) }),
  mode: 'read',
  allow: personalOnly,
  run: ({ store }) => ({ followedSlices: store.followedSlices.list() })
})
