/** Reads a profile set by its name. (docs/spec/accounts.md#profile-sets) */
import { Type } from 'typebox'
import { closed, Identifier } from '../../../schemas/scalars.js'
import { anyAccess } from '../../auth/allow.js'
import { method } from '../../call/method.js'
import { ProfileResult, readProfile, resolveSet } from '../../account/profile-sets.js'

/** Returns a set. `id`: `public`, `private` (personal accesses), `app` (app accesses). */
export const get = method({
  id: 'profile.get',
  summary: 'Get a profile set by name',
  params: Type.Object({ id: Identifier }, closed),
  result: ProfileResult,
  mode: 'read',
  allow: anyAccess,
  run: (call, { id }) => readProfile(call, resolveSet(call, id, 'read'))
})
