/** `coffer user token`: signs in as a user. */
import { openSession } from '../../../core/auth/personal-access.js'
import { apiEndpoint } from '../../../core/service-info.js'
import { print, type JsonOption } from '../../terminal/answer.js'
import { directoryOf } from '../../terminal/directory.js'
import { split } from '../../terminal/operands.js'
import { asOperator, OperatorError } from '../../terminal/operator.js'

export interface TokenOptions extends JsonOption {
  readonly app?: string
}

/** Signs in as a user, for an app; only while no service owns the data directory. */
export async function userToken(
  args: readonly string[],
  { app = 'coffer-command', json }: TokenOptions
): Promise<void> {
  const { flags, operands } = split(args, 'name')
  const [username = ''] = operands
  const { settings } = directoryOf(flags)
  const answer = await asOperator(settings, async ({ core }) => {
    if (!core)
      throw new OperatorError('A service owns the data directory: stop it first, tokens are made without it')
    const account = core.accounts.find(username)
    if (!account) throw new OperatorError(`There is no account ${username} here`)
    const store = core.accounts.store(account)
    const { id, token } = await store.write(() => openSession(core.config, store, app, core.clock.now()))
    return { username, id, token, apiEndpoint: apiEndpoint(core.config, username, token) }
  })
  print(json, answer, answer.token)
}
