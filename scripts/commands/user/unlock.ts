/**
 * `coffer user unlock`, `coffer user mfa-off`, `coffer user passkeys-off` and `coffer user keep`: restore access for users who are
 * locked out or have deleted their account, and withdraw it from others who have their devices.
 */
import { print, type JsonOption } from '../../terminal/answer.js'
import { directoryOf } from '../../terminal/directory.js'
import { split } from '../../terminal/operands.js'
import { asOperator } from '../../terminal/operator.js'

/** Ends the waiting time after wrong passwords or codes. */
export async function unlockUser(args: readonly string[], options: JsonOption): Promise<void> {
  await callForUser('system.unlockUser', args, options, 'sign-in unlocked')
}

/** Removes the second factor of a user who can no longer use it. */
export async function turnOffMfa(args: readonly string[], options: JsonOption): Promise<void> {
  await callForUser('system.deactivateMfa', args, options, 'two-factor authentication turned off')
}

/** Removes all passkeys of a user, for example after their phone was stolen. */
export async function turnOffPasskeys(args: readonly string[], options: JsonOption): Promise<void> {
  await callForUser('system.deletePasskeys', args, options, 'all passkeys removed')
}

/** Cancels the scheduled deletion of an account. */
export async function keepUser(args: readonly string[], options: JsonOption): Promise<void> {
  await callForUser('system.keepUser', args, options, 'deletion cancelled')
}

async function callForUser(
  method: string,
  args: readonly string[],
  { json }: JsonOption,
  done: string
): Promise<void> {
  const { flags, operands } = split(args, 'name')
  const [username = ''] = operands
  const { settings } = directoryOf(flags)
  await asOperator(settings, operator => operator.call(method, { username }))
  print(json, { username }, `${username}: ${done}`)
}
