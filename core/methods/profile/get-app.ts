/** Reads the profile set of the calling app. (docs/spec/accounts.md#profile-sets) */
import { Type } from 'typebox'
import { closed } from '../../../schemas/scalars.js'
import { appOnly } from '../../auth/allow.js'
import { method } from '../../call/method.js'
import { getAppSet, ProfileResult, readProfile } from '../../account/profile-sets.js'

export const getApp = method({
  id: 'profile.getApp',
  summary: 'Get the profile set of the calling app',
  params: Type.Object({}, closed),
  result: ProfileResult,
  mode: 'read',
  allow: appOnly,
  run: call => readProfile(call, getAppSet(call))
})
