/** `coffer user token`: creates a personal token for a user. */
import { openSession } from '../../../core/auth/personal-access.js'
import { apiEndpoint } from '../../../core/service-info.js'
import { printResult, type JsonOption } from '../../terminal/output.js'
import { loadDirectory } from '../../terminal/directory.js'
import { splitArguments } from '../../terminal/operands.js'
import { withOperator, OperatorError } from '../../terminal/operator.js'

export interface TokenOptions extends JsonOption {
  readonly app?: string
}

/** Opens a session of a user for an app. No service may be running. */
export async function userToken(
  args: readonly string[],
  { app = 'coffer-command', json }: TokenOptions
): Promise<void> {
  const { flags, operands } = splitArguments(args, 'name')
  const [username = ''] = operands
  const { settings } = loadDirectory(flags)
  const answer = await withOperator(settings, async ({ services }) => {
    if (!services) throw new OperatorError('The data directory is in use by a running service. Stop it first')
    const account = services.accounts.find(username)
    if (!account) throw new OperatorError(`No account ${username}`)
    const store = services.accounts.store(account)
    const { id, token } = await store.write(() =>
      openSession(services.config, store, app, services.clock.now())
    )
    return { username, id, token, apiEndpoint: apiEndpoint(services.config, username, token) }
  })
  printResult(json, answer, answer.token)
}
