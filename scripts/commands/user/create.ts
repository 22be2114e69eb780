/** `coffer user create`: creates an account, prompting for its password. */
import { Value } from 'typebox/value'
import { Email, Language, Username } from '../../../schemas/account.js'
import { printResult, type JsonOption } from '../../terminal/output.js'
import { loadDirectory } from '../../terminal/directory.js'
import { promptForPasswordHash } from '../../terminal/prompt-for-password.js'
import { splitArguments, UsageError } from '../../terminal/operands.js'
import { withOperator } from '../../terminal/operator.js'

export interface CreateOptions extends JsonOption {
  readonly email?: string
  readonly language?: string
}

/**
 * Creates an account. Its password is typed, or read from the first line of standard input. Throws {@link
 * UsageError} for invalid fields or passwords.
 */
export async function createUser(args: readonly string[], options: CreateOptions): Promise<void> {
  const { flags, operands } = splitArguments(args, 'name')
  const [username = ''] = operands
  const { email, json, language = 'en' } = options
  assertFields(username, email, language)
  const { settings } = loadDirectory(flags)
  const passwordHash = await promptForPasswordHash(settings, username)
  const { id } = await withOperator(settings, operator =>
    operator.call('system.createUser', { username, passwordHash, email, language })
  )
  printResult(json, { username, id }, `${username}: created`)
}

/** Throws `UsageError` for a user name, email address or language that is not valid. */
function assertFields(
  username: string,
  email: string | undefined,
  language: string
): asserts email is string {
  const isName: boolean = Value.Check(Username, username)
  if (!isName)
    throw new UsageError(
      `"${username}" is not a valid username. Use 5 to 60 lowercase letters, digits or hyphens, without a hyphen at the start or end`
    )
  if (email === undefined) throw new UsageError('An account needs an email address. Pass --email')
  if (!Value.Check(Email, email) || !email.includes('@'))
    throw new UsageError(`--email: "${email}" is not a valid email address`)
  const isLanguage: boolean = Value.Check(Language, language)
  if (!isLanguage)
    throw new UsageError(`--language: "${language}" must be a code of up to 5 characters, such as en`)
}
