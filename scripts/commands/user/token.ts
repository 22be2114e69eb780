/** `coffer user token`: creates a personal token for a user. */
import { printResult, type JsonOption } from '../../terminal/output.js'
import { loadDirectory } from '../../terminal/directory.js'
import { splitArguments } from '../../terminal/operands.js'
import { withOperator } from '../../terminal/operator.js'
import { openSession } from '../../terminal/user-session.js'

export interface TokenOptions extends JsonOption {
  readonly app?: string
}

/**
 * Prints a personal token of a user for an app, whether or not a service is running. Uses the open session of
 * the app if there is one.
 */
export async function userToken(
  args: readonly string[],
  { app = 'coffer-command', json }: TokenOptions
): Promise<void> {
  const { flags, operands } = splitArguments(args, 'name')
  const [username = ''] = operands
  const { settings } = loadDirectory(flags)
  const session = await withOperator(settings, operator => openSession(operator, username, app))
  printResult(json, session, session.token)
}
