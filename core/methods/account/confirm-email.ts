/** `account.confirmEmail`: confirms an address that an app has set. An addition of ours. (docs/accounts.md#mail) */
import { Type } from 'typebox'
import { closed } from '../../../schemas/scalars.js'
import { personalOnly } from '../../auth/allow.js'
import { currentAddress } from '../../account/email/address.js'
import { confirmAddress } from '../../account/email/changes.js'
import { forgetMessages } from '../../account/email/message-count.js'
import { fail } from '../../errors.js'
import { method } from '../../call/method.js'

/**
 * Takes the token of a mailed link, and a session: the link alone only proves who reads the mailbox, which may be whoever
 * made the app set that address. Password reset links are sent there from now on.
 */
export const confirmEmail = method({
  id: 'account.confirmEmail',
  summary: 'Confirm an e-mail address that an app has set (an addition of ours)',
  params: Type.Object({ token: Type.String({ minLength: 1, maxLength: 1000 }) }, closed),
  result: Type.Object({}),
  mode: 'write',
  mayExceedQuota: true,
  allow: personalOnly,
  run(call, { token }) {
    const { changes, now, store } = call
    const known = store.signIn.find('email', token, now) as { readonly address: string } | undefined
    const address = currentAddress(store)
    if (known === undefined || known.address !== address)
      fail('invalid-parameter', 'The token is unknown, or was used, or has expired: ask for another link', {
        param: 'token'
      })
    confirmAddress(call, address)
    forgetMessages(store, 'confirmation')
    changes.add('account')
    return {}
  }
})
