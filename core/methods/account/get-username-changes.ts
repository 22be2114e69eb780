/** `account.getUsernameChanges`: how often the user name may still be changed. (docs/spec/usernames.md#changing-the-name) */
import { Type } from 'typebox'
import { closed } from '../../../schemas/scalars.js'
import { getUsernameChanges as getChanges, UsernameChanges } from '../../account/username-changes.js'
import { personalOnly } from '../../auth/allow.js'
import { method } from '../../call/method.js'

/**
 * Returns how many changes are left, and when the next one is allowed. Throws an error if changes are off.
 */
export const getUsernameChanges = method({
  id: 'account.getUsernameChanges',
  summary: 'Get how often the username may be changed',
  params: Type.Object({}, closed),
  result: UsernameChanges,
  mode: 'read',
  allow: personalOnly,
  run: ({ account, now, services }) => getChanges(services, account, now)
})
