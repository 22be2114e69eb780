/**
 * `coffer user unlock`, `coffer user mfa-off`, `coffer user passkeys-off` and `coffer user keep`: let users in again who have locked
 * themselves out or deleted their account, and keep out whoever has got hold of their devices.
 */
import { print, type JsonOption } from '../../terminal/answer.js'
import { directoryOf } from '../../terminal/directory.js'
import { split } from '../../terminal/operands.js'
import { asOperator } from '../../terminal/operator.js'

/** Lets a user try again at once who has to wait after wrong passwords or codes. */
export async function unlockUser(args: readonly string[], options: JsonOption): Promise<void> {
  await change('system.unlockUser', args, options, 'sign-in unlocked')
}

/** Removes the second factor of a user who can no longer use it. */
export async function turnOffMfa(args: readonly string[], options: JsonOption): Promise<void> {
  await change('system.deactivateMfa', args, options, 'two-factor authentication turned off')
}

/** Ends all passkeys of a user, such as one whose phone was stolen. */
export async function turnOffPasskeys(args: readonly string[], options: JsonOption): Promise<void> {
  await change('system.deletePasskeys', args, options, 'all passkeys removed')
}

/** Keeps an account that its owner has deleted, within the time of grace. */
export async function keepUser(args: readonly string[], options: JsonOption): Promise<void> {
  await change('system.keepUser', args, options, 'deletion cancelled')
}

async function change(
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
