/** `system.relocateUser`: marks an account as moved to another server. (docs/spec/administration.md#relocation) */
import { Type } from 'typebox'
import { closed } from '../../../schemas/scalars.js'
import { operatorMethod } from '../../auth/admin.js'
import { requireAccount } from '../../platform/find-account.js'
import { parseUrl } from '../../parse-url.js'
import { announceAccountChange } from '../../platform/remove-account.js'
import { refuseParams } from '../../validation/params.js'

/**
 * `POST /system/users/{username}/relocation` with the `url` of the account's new root. From then on every
 * call on it gets a 301 with exactly that URL in `Location` and `data`. Its data are kept. Its sockets are
 * closed.
 */
export const relocateUser = operatorMethod({
  id: 'system.relocateUser',
  summary: 'Mark an account as moved to another server',
  params: Type.Object(
    { username: Type.String(), url: Type.String({ minLength: 1, maxLength: 2048, pattern: '^[!-~]+$' }) },
    closed
  ),
  result: Type.Object({ relocation: Type.Object({ username: Type.String(), url: Type.String() }) }),
  describeAction: ({ url }) => ({ url }),
  async run({ services }, { username, url }) {
    assertServiceUrl(url)
    const account = requireAccount(services, username)
    // Subscribers see that it is gone: sockets are closed, webhooks are not called.
    await services.accounts.relocate(account, url, () => announceAccountChange(services, account))
    return { relocation: { username: account.username, url } }
  }
})

function assertServiceUrl(url: string): void {
  const parsed = parseUrl(url)
  const isPlace = parsed && ['http:', 'https:'].includes(parsed.protocol) && parsed.hostname !== ''
  if (!isPlace || parsed.username !== '' || parsed.password !== '')
    refuseParams([
      { code: 'INVALID_FORMAT', message: 'must be an http or https URL without credentials', path: '#/url' }
    ])
}
