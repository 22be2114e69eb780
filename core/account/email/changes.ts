/** The consequences of setting another email address, and of confirming one. (docs/spec/accounts.md#email-address) */
import type { Access } from '../../../schemas/access.js'
import type { Config } from '../../settings/config.js'
import type { Call } from '../../call/method.js'
import { requireRecentSignIn } from '../../auth/recent-sign-in.js'
import type { AccountField } from '../fields.js'
import { getConfirmedAddress, getCurrentAddress, isSameAddress, maskAddress } from './address.js'
import { sendConfirmation, sendNotices } from './messages.js'
import { addNotice } from './notices.js'

/**
 * Applies the consequences of a new value of a field: an address other than the confirmed one has to be
 * confirmed, and a user who sets such an address has to prove who they are, or have recently signed in. Mails
 * a link to the new address and a notice to the confirmed one; links mailed before become invalid. Must be
 * called within the write that sets the value, before it is set. Error: `invalid-operation`
 * (`proof-missing`).
 */
export function applyFieldValue(
  call: Call,
  { name }: AccountField,
  value: unknown,
  isOwnerProven = false
): void {
  if (name !== 'email' || typeof value !== 'string') return
  const { account, caller, services, store } = call
  // Links mailed to confirm another address become invalid.
  store.signIn.removeAll('email')
  forgetFormerAddress(call, value)
  const former = getConfirmedAddress(store)
  if (former === value) return
  if (caller.isPersonal && !isOwnerProven) requireRecentSignIn(call)
  // If the service sends no mail, no link could confirm the new address; if there is no former address, no other one is confirmed until then.
  const { mailer } = services
  const countsAtOnce =
    former === undefined ||
    !mailer.hasServer ||
    !mailer.sends('confirmEmail') ||
    typeof store.emails.find(value)?.verified === 'number'
  if (caller.isPersonal && countsAtOnce) return confirmAddress(call, value)
  notifyFormerAddress(call, value, caller.isPersonal ? undefined : getAppName(services.config, caller.access))
  store.unique.assertReserved()
  sendConfirmation(services, account.username)
}

/**
 * Makes an address the confirmed address, and mails a notice to the previous one, whose links become invalid,
 * and which other accounts may then use. Must run within a transaction.
 */
export function confirmAddress(call: Call, address: string): void {
  const { store } = call
  notifyFormerAddress(call, address)
  const former = getConfirmedAddress(store)
  store.confirmed.set('email', address)
  store.signIn.removeAll('reset')
  store.signIn.removeAll('email')
  // Other accounts may use it now, unless it is still one of this account's values.
  if (former !== undefined) store.unique.release('email', former)
}

/**
 * Forgets how the primary address was verified if the user replaces it by another one. If an app does, the address stays in
 * the list: apps must not be able to remove addresses.
 */
function forgetFormerAddress({ caller, store }: Call, address: string): void {
  const current = getCurrentAddress(store)
  if (caller.isPersonal && current !== undefined && !isSameAddress(current, address))
    store.emails.remove(current)
}

function notifyFormerAddress({ account, services, now, store }: Call, address: string, by?: string): void {
  const former = getConfirmedAddress(store)
  if (former === undefined || isSameAddress(former, address)) return
  const notice = { to: former, address: maskAddress(address), ...(by !== undefined && { by }) }
  addNotice(store, notice, now)
  sendNotices(services, account.username)
}

/**
 * Returns the display name of an app: the operator's, or the app's own without characters that could form a link in a
 * mail.
 */
function getAppName({ access: { apps } }: Config, access: Access | undefined): string {
  const name = access?.name ?? ''
  const known = access?.type === 'app' ? apps.find(({ id }) => id === name)?.displayName : undefined
  return (
    known ??
    (name
      .replaceAll(/[^\p{L}\p{M}\p{N} _-]+/gu, ' ')
      .trim()
      .slice(0, 60) ||
      '?')
  )
}
