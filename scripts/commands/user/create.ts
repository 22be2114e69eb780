/** `coffer user create`: an account with a password that is typed. */
import { Value } from 'typebox/value'
import { toConfig } from '../../../core/settings/config.js'
import { mustBeComplex } from '../../../core/sign-in/password-rules.js'
import { createPasswords } from '../../../core/security/passwords.js'
import { version } from '../../../core/version.js'
import { Username } from '../../../schemas/account.js'
import { print, type JsonOption } from '../../terminal/answer.js'
import { directoryOf } from '../../terminal/directory.js'
import { split, UsageError } from '../../terminal/operands.js'
import { asOperator } from '../../terminal/operator.js'
import { typed } from '../../terminal/passphrase.js'

export interface CreateOptions extends JsonOption {
  readonly email?: string
  readonly language?: string
}

/** Makes an account; its password is typed, or the first line of standard input. */
export async function createUser(args: readonly string[], options: CreateOptions): Promise<void> {
  const { flags, operands } = split(args, 'name')
  const [username = ''] = operands
  const { email, json, language = 'en' } = options
  if (!Value.Check(Username, username))
    throw new UsageError(`"${operands[0]}" cannot be the name of an account`)
  if (email === undefined) throw new UsageError('An account needs an address: --email')
  const { settings } = directoryOf(flags)
  const password = await typed(`Password of ${username}: `)
  if (password.length < 6) throw new UsageError('A password has 6 characters at least')
  mustFitRules(() => mustBeComplex(toConfig(settings, version), password, 'password'))
  const passwordHash = await createPasswords().hash(password)
  const { id } = await asOperator(settings, operator =>
    operator.call('system.createUser', { username, passwordHash, email, language })
  )
  print(json, { username, id }, `${username}: made`)
}

function mustFitRules(check: () => void): void {
  try {
    check()
  } catch (error) {
    throw new UsageError((error as Error).message)
  }
}
