/** Changes the profile set of the calling app. (docs/spec/accounts.md#profile-sets) */
import { appOnly } from '../../auth/allow.js'
import { method } from '../../call/method.js'
import { getAppSet, ProfileResult, ProfileUpdate, updateProfile } from '../../account/profile-sets.js'

export const updateApp = method({
  id: 'profile.updateApp',
  summary: 'Update the profile set of the calling app',
  params: ProfileUpdate,
  result: ProfileResult,
  mode: 'write',
  allow: appOnly,
  run: (call, { update }) => updateProfile(call, getAppSet(call), update)
})
