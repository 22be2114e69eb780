/** Reads the profile set that only the account's owner may read. (docs/spec/accounts.md#profile-sets) */
import { Type } from 'typebox'
import { closed } from '../../../schemas/scalars.js'
import { personalOnly } from '../../auth/allow.js'
import { method } from '../../call/method.js'
import { ProfileResult, readProfile } from '../../account/profile-sets.js'

export const getPrivate = method({
  id: 'profile.getPrivate',
  summary: 'Get the private profile set',
  params: Type.Object({}, closed),
  result: ProfileResult,
  mode: 'read',
  allow: personalOnly,
  run: call => readProfile(call, 'private')
})
