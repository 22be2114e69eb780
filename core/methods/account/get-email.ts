/**
 * `account.getEmail`: the email address of the account, and whether it is confirmed. Not part of the original API.
 * (docs/accounts.md#mail)
 */
import { Type } from 'typebox'
import { closed } from '../../../schemas/scalars.js'
import { personalOnly } from '../../auth/allow.js'
import { getConfirmedAddress, getCurrentAddress } from '../../account/email/address.js'
import { method } from '../../call/method.js'

const Address = Type.Union([Type.String(), Type.Null()])

/**
 * Returns the current address, and the address to which password reset links are sent: the two differ until the current
 * address is confirmed.
 */
export const getEmail = method({
  id: 'account.getEmail',
  summary: 'Get whether the email address is confirmed (extension)',
  params: Type.Object({}, closed),
  result: Type.Object({
    email: Type.Object({ address: Address, isConfirmed: Type.Boolean(), confirmedAddress: Address })
  }),
  mode: 'read',
  allow: personalOnly,
  run({ store }) {
    const address = getCurrentAddress(store) ?? null
    const confirmed = getConfirmedAddress(store) ?? null
    const isConfirmed = address !== null && address === confirmed
    return { email: { address, isConfirmed, confirmedAddress: confirmed } }
  }
})
