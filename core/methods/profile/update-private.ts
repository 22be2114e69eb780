/** Changes the profile set that only the account's owner may read. (docs/spec/accounts.md#profile-sets) */
import { personalOnly } from '../../auth/allow.js'
import { method } from '../../call/method.js'
import { ProfileResult, ProfileUpdate, updateProfile } from '../../account/profile-sets.js'

export const updatePrivate = method({
  id: 'profile.updatePrivate',
  summary: 'Update the private profile set',
  params: ProfileUpdate,
  result: ProfileResult,
  mode: 'write',
  allow: personalOnly,
  run: (call, { update }) => updateProfile(call, 'private', update)
})
