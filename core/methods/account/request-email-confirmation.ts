/**
 * `account.requestEmailConfirmation`: sends another mail with a link that confirms the address. Not part of the
 * original API. (docs/accounts.md#mail)
 */
import { Type } from 'typebox'
import { closed } from '../../../schemas/scalars.js'
import { personalOnly } from '../../auth/allow.js'
import { getConfirmedAddress, getCurrentAddress } from '../../account/email/address.js'
import { getMessageWait } from '../../account/email/message-count.js'
import { sendConfirmation } from '../../account/email/messages.js'
import { ApiError, fail } from '../../errors.js'
import { method } from '../../call/method.js'

/**
 * Mails a link to the current address after the response. Links mailed before become invalid. Throws
 * `invalid-operation` if no address waits to be confirmed, `too-many-requests` shortly after another mail.
 */
export const requestEmailConfirmation = method({
  id: 'account.requestEmailConfirmation',
  summary: 'Send a confirmation link to the email address (extension)',
  params: Type.Object({}, closed),
  result: Type.Object({}),
  mode: 'read',
  allow: personalOnly,
  run({ account, services, now, store }) {
    const address = getCurrentAddress(store)
    if (address === undefined || address === getConfirmedAddress(store))
      fail('invalid-operation', 'No email address is waiting to be confirmed')
    const retryAfter = getMessageWait(store, 'confirmation', now)
    if (retryAfter > 0) throw new ApiError('too-many-requests', undefined, { retryAfter })
    sendConfirmation(services, account.username)
    return {}
  }
})
