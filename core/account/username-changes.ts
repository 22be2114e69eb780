/** How often the user of an account may still change its name. (docs/spec/usernames.md#changing-the-name) */
import { Type, type Static } from 'typebox'
import type { Account } from '../../storage/platform/account.js'
import type { Services } from '../call/services.js'
import { fail } from '../errors.js'

export const UsernameChanges = Type.Object({
  usernameChangesRemaining: Type.Integer(),
  usernameChangesLimit: Type.Integer(),
  usernameChangesUsed: Type.Integer(),
  /** When the name can be changed again, in seconds, if it cannot be changed now. Not part of the original API. */
  nextUsernameChange: Type.Optional(Type.Number())
})
export type UsernameChanges = Static<typeof UsernameChanges>

/** Returns the changes that were made and are left. `now` in seconds. Throws `unavailable-method` if they are off. */
export function getUsernameChanges(
  { config, platform }: Services,
  { id }: Account,
  now: number
): UsernameChanges {
  const { usernameChangeInterval, usernameChangeLimit } = config.auth
  if (usernameChangeLimit === 0) fail('unavailable-method')
  const { last, used } = platform.usernames.getChanges(id)
  const remaining = Math.max(0, usernameChangeLimit - used)
  const next = (last ?? -Infinity) + usernameChangeInterval
  return {
    usernameChangesRemaining: remaining,
    usernameChangesLimit: usernameChangeLimit,
    usernameChangesUsed: used,
    ...(remaining > 0 && next > now && { nextUsernameChange: next })
  }
}
