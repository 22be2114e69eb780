/** Changes the profile set that all accesses may read. (docs/spec/accounts.md#profile-sets) */
import { personalOnly } from '../../auth/allow.js'
import { method } from '../../call/method.js'
import { ProfileResult, ProfileUpdate, updateProfile } from '../../account/profile-sets.js'

export const updatePublic = method({
  id: 'profile.updatePublic',
  summary: 'Update the public profile set',
  params: ProfileUpdate,
  result: ProfileResult,
  mode: 'write',
  allow: personalOnly,
  run: (call, { update }) => updateProfile(call, 'public', update)
})
