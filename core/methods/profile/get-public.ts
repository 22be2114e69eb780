/** Reads the profile set that all accesses may read. (docs/spec/accounts.md#profile-sets) */
import { Type } from 'typebox'
import { closed } from '../../../schemas/scalars.js'
import { anyAccess } from '../../auth/allow.js'
import { method } from '../../call/method.js'
import { ProfileResult, readProfile } from '../../account/profile-sets.js'

export const getPublic = method({
  id: 'profile.getPublic',
  summary: 'Get the public profile set',
  params: Type.Object({}, closed),
  result: ProfileResult,
  mode: 'read',
  allow: anyAccess,
  run: call => readProfile(call, 'public')
})
