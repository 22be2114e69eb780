/** `coffer user password`: sets the password of a user. */
import { print, type JsonOption } from '../../terminal/answer.js'
import { directoryOf } from '../../terminal/directory.js'
import { newPasswordHash } from '../../terminal/new-password.js'
import { split } from '../../terminal/operands.js'
import { asOperator } from '../../terminal/operator.js'

/** Sets a password, which is typed, or read from the first line of standard input. Ends all sessions of the user. */
export async function setUserPassword(args: readonly string[], { json }: JsonOption): Promise<void> {
  const { flags, operands } = split(args, 'name')
  const [username = ''] = operands
  const { settings } = directoryOf(flags)
  // Checks that the account exists before anything is typed.
  await asOperator(settings, operator => operator.call('system.getUserInfo', { username }))
  const passwordHash = await newPasswordHash(settings, username)
  await asOperator(settings, operator => operator.call('system.setPassword', { username, passwordHash }))
  print(json, { username }, `${username}: password set, all sessions signed out`)
}
