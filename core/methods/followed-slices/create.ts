/** Follows a slice. (docs/spec/accounts.md#followed-slices) */
import { Type } from 'typebox'
import { FollowedSlice } from '../../../schemas/followed-slice.js'
import { closed } from '../../../schemas/scalars.js'
import { personalOnly } from '../../auth/allow.js'
import { createId } from '../../ids.js'
import { method } from '../../call/method.js'
import { writeSlice } from '../../account/write-slice.js'

const { accessToken, name, url } = FollowedSlice.properties

/** Returns the new slice. */
export const create = method({
  id: 'followedSlices.create',
  summary: 'Create a followed slice',
  params: Type.Object({ name, url, accessToken }, closed),
  result: Type.Object({ followedSlice: FollowedSlice }),
  mode: 'write',
  allow: personalOnly,
  run({ changes, store }, given) {
    const followedSlice: FollowedSlice = {
      id: createId(),
      name: given.name,
      url: given.url,
      accessToken: given.accessToken
    }
    writeSlice(followedSlice, () => store.followedSlices.insert(followedSlice))
    changes.add('followedSlices')
    return { followedSlice }
  }
})
