/** `account.verifyEmail`: verifies an email address with a mailed token. (docs/spec/accounts.md#several-addresses) */
import { Type } from 'typebox'
import { AppId } from '../../../schemas/account.js'
import { recordVerification } from '../../account/email/addresses.js'
import { trustedApp } from '../../auth/allow.js'
import { fail } from '../../errors.js'
import { method, type ServiceCall } from '../../call/method.js'

/**
 * Verifies an address and returns it. It belongs to the account from now on; throws `item-already-exists` if
 * another account has verified it first, `invalid-access-token` for tokens that are not valid: guesses are
 * counted. Password reset links do not go to it until the user makes it the primary address.
 */
export const verifyEmail = method({
  id: 'account.verifyEmail',
  summary: 'Verify an email address with the token of a link',
  params: Type.Object({ appId: AppId, token: Type.String({ maxLength: 1000 }) }),
  result: Type.Object({ email: Type.String() }),
  mode: 'write',
  mayExceedQuota: true,
  allow: trustedApp,
  auditActor: 'public',
  run(call, { token }) {
    const { account, changes, now, services, store } = call
    const guess = toGuess(call, account.username)
    services.throttle.check(guess)
    const found = store.emails.findByToken(token, now)
    if (!found) return refuseToken(call, account.username)
    const { address } = found
    if (!store.unique.claim('email', address))
      fail('item-already-exists', 'The address is already taken', { email: address })
    recordVerification(store, address, { method: 'email-link', now })
    changes.add('account')
    services.throttle.succeeded(guess)
    return { email: address }
  },
  handleUnknownUser(call, username) {
    call.services.throttle.check(toGuess(call, username))
    return refuseToken(call, username)
  }
})

function toGuess({ credentials }: ServiceCall, username: string): { subject: string; ip: string } {
  return { subject: `verify:${username}`, ip: credentials.ip }
}

function refuseToken(call: ServiceCall, username: string): never {
  call.services.throttle.failed(toGuess(call, username))
  fail('invalid-access-token', 'The token is unknown, already used or expired')
}
