/** Prompts for a new password of a user. */
import { toConfig } from '../../core/settings/config.js'
import type { Settings } from '../../core/settings/settings.js'
import { assertPasswordComplexity } from '../../core/sign-in/password-rules.js'
import { createPasswords } from '../../core/security/passwords.js'
import { version } from '../../core/version.js'
import { UsageError } from './operands.js'
import { promptHidden } from './passphrase.js'

/** Limits of `NewPassword` in schemas/account.ts. */
const shortest = 6
const longest = 100

/**
 * Returns the hash of a password that is typed twice on a terminal, or otherwise read from standard input. Throws
 * {@link UsageError} with the rule that the password breaks.
 */
export async function promptForPasswordHash(settings: Settings, username: string): Promise<string> {
  const password = await promptHidden(`Password of ${username}: `)
  if (password === '')
    throw new UsageError('Missing password. Type one, or pass it as a line of standard input')
  if (password.length < shortest || password.length > longest)
    throw new UsageError(`The password must have ${shortest} to ${longest} characters`)
  try {
    assertPasswordComplexity(toConfig(settings, version), password, 'password')
  } catch (error) {
    throw new UsageError((error as Error).message)
  }
  if (process.stdin.isTTY && (await promptHidden('Repeat: ')) !== password)
    throw new UsageError("The passwords don't match")
  return await createPasswords().hash(password)
}
