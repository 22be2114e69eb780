/** `system.relocateUser`: an account lives elsewhere from now on. (docs/spec/administration.md#relocation) */
import { Type } from 'typebox'
import { closed } from '../../../schemas/scalars.js'
import { adminOnly } from '../../auth/admin.js'
import { accountOf } from '../../platform/find-account.js'
import { serviceMethod } from '../../call/method.js'
import { parsedUrl } from '../../parsed-url.js'
import { announce } from '../../platform/remove-account.js'
import { refuseParams } from '../../validation/params.js'

/**
 * `POST /system/users/{username}/relocation` with the `url` of the account's new root. Every call on it answers 301 then,
 * with that URL, as it is given, in `Location` and `data`; its data stay as they are.
 */
export const relocateUser = serviceMethod({
  id: 'system.relocateUser',
  summary: 'Mark an account as moved elsewhere',
  params: Type.Object(
    { username: Type.String(), url: Type.String({ minLength: 1, maxLength: 2048, pattern: '^[!-~]+$' }) },
    closed
  ),
  result: Type.Object({ relocation: Type.Object({ username: Type.String(), url: Type.String() }) }),
  mode: 'service',
  allow: adminOnly,
  auditAs: 'admin',
  async run({ core }, { username, url }) {
    mustBePlace(url)
    const account = accountOf(core, username)
    const moved = core.accounts.relocate(account, url)
    // Whoever listens finds it gone: sockets are cut, webhooks stay silent.
    announce(core, account)
    await moved
    return { relocation: { username: account.username, url } }
  }
})

function mustBePlace(url: string): void {
  const parsed = parsedUrl(url)
  const isPlace = parsed && ['http:', 'https:'].includes(parsed.protocol) && parsed.hostname !== ''
  if (!isPlace || parsed.username !== '' || parsed.password !== '')
    refuseParams([
      { code: 'INVALID_FORMAT', message: 'has to be an http or https URL without credentials', path: '#/url' }
    ])
}
