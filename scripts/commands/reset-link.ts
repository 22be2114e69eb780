/** `coffer reset-link`: creates a link with which a user sets a new password. */
import { printResult, type JsonOption } from '../terminal/output.js'
import { loadDirectory } from '../terminal/directory.js'
import { splitArguments } from '../terminal/operands.js'
import { withOperator } from '../terminal/operator.js'

/**
 * Prints a single-use link for the operator to pass on. Earlier links of the user stop working. Throws
 * `OperatorError` for unknown users, and if signing in with passwords is off.
 */
export async function resetLink(args: readonly string[], { json }: JsonOption): Promise<void> {
  const { flags, operands } = splitArguments(args, 'user')
  const [username = ''] = operands
  const { settings } = loadDirectory(flags)
  const answer = await withOperator(settings, operator =>
    operator.call('system.createResetLink', { username })
  )
  const { expires, url } = answer['resetLink'] as { url: string; expires: number }
  printResult(json, { username, url, expires }, url)
  if (!json)
    console.error(`Works once, until ${new Date(expires * 1000).toISOString()}. Earlier links no longer work`)
}
