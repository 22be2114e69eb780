/**
 * `account.confirmEmail`: confirms an email address. Not part of the original API.
 * (docs/spec/accounts.md#email-address)
 */
import { Type } from 'typebox'
import { proofParams } from '../../../schemas/passkey.js'
import { closed } from '../../../schemas/scalars.js'
import { personalOnly } from '../../auth/allow.js'
import { recordVerification } from '../../account/email/addresses.js'
import { getCurrentAddress } from '../../account/email/address.js'
import { confirmAddress } from '../../account/email/changes.js'
import { fail } from '../../errors.js'
import { method, type Call } from '../../call/method.js'
import { requireOwner } from '../../sign-in/passkeys/owner-proof.js'

/**
 * Takes the token of a mailed link, and a session with a proof or a recent sign-in: the link alone only proves access
 * to the mailbox, and a stolen session could confirm an address that an app has set. Password reset links are then sent
 * to the confirmed address.
 */
export const confirmEmail = method({
  id: 'account.confirmEmail',
  summary: 'Confirm an email address (extension)',
  params: Type.Object(
    {
      token: Type.String({ minLength: 1, maxLength: 1000 }),
      ...proofParams
    },
    closed
  ),
  result: Type.Object({}),
  mode: 'write',
  mayExceedQuota: true,
  allow: personalOnly,
  async prepare(call, { token, ...proof }) {
    getAddress(call, token)
    await requireOwner(call, proof)
  },
  run(call, { token }) {
    const { changes, now, store } = call
    const address = getAddress(call, token)
    confirmAddress(call, address)
    recordVerification(store, address, { method: 'email-link', now })
    changes.add('account')
    return {}
  }
})

/** Returns the current address, which the token confirms. Error: `invalid-parameter`. */
function getAddress({ now, store }: Call, token: string): string {
  const known = store.signIn.find('email', token, now) as { readonly address: string } | undefined
  const address = getCurrentAddress(store)
  if (address !== undefined && known?.address === address) return address
  return fail('invalid-parameter', 'The token is unknown, already used or expired. Request a new link', {
    param: 'token'
  })
}
