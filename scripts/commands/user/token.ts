/** `coffer user token`: creates a personal token for a user. */
import { openSession } from '../../../core/auth/personal-access.js'
import { apiEndpoint } from '../../../core/service-info.js'
import { print, type JsonOption } from '../../terminal/answer.js'
import { directoryOf } from '../../terminal/directory.js'
import { split } from '../../terminal/operands.js'
import { asOperator, OperatorError } from '../../terminal/operator.js'

export interface TokenOptions extends JsonOption {
  readonly app?: string
}

/** Opens a session of a user for an app. No service may be running. */
export async function userToken(
  args: readonly string[],
  { app = 'coffer-command', json }: TokenOptions
): Promise<void> {
  const { flags, operands } = split(args, 'name')
  const [username = ''] = operands
  const { settings } = directoryOf(flags)
  const answer = await asOperator(settings, async ({ services }) => {
    if (!services) throw new OperatorError('The data directory is in use by a running service. Stop it first')
    const account = services.accounts.find(username)
    if (!account) throw new OperatorError(`No account ${username}`)
    const store = services.accounts.store(account)
    const { id, token } = await store.write(() =>
      openSession(services.config, store, app, services.clock.now())
    )
    return { username, id, token, apiEndpoint: apiEndpoint(services.config, username, token) }
  })
  print(json, answer, answer.token)
}
