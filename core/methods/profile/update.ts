/** Changes a profile set by its name. (docs/spec/accounts.md#profile-sets) */
import { Type } from 'typebox'
import { closed, Identifier, KeyValue } from '../../../schemas/scalars.js'
import { anyAccess } from '../../auth/allow.js'
import { method } from '../../call/method.js'
import { ProfileResult, resolveSet, updateProfile } from '../../account/profile-sets.js'

/**
 * Changes keys of a set, and returns it. `id`: `public`, `private` (personal accesses), `app` (app accesses).
 */
export const update = method({
  id: 'profile.update',
  summary: 'Update a profile set by name',
  params: Type.Object({ id: Identifier, update: KeyValue }, closed),
  result: ProfileResult,
  mode: 'write',
  allow: anyAccess,
  run: (call, { id, update: change }) => updateProfile(call, resolveSet(call, id, 'write'), change)
})
