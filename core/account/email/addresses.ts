/**
 * The list of an account's email addresses: the primary one, which is an account field, and further ones. A pending address
 * is not reserved: of all accounts that have added it, the first one to verify it gets it.
 * (docs/spec/accounts.md#several-addresses)
 */
import type { EmailChanges, EmailView } from '../../../schemas/account.js'
import type { StoredAddress, VerificationMethod } from '../../../storage/sign-in/email-addresses.js'
import type { UserStore } from '../../../storage/user/user-store.js'
import { ApiError, fail } from '../../errors.js'
import { isAddress } from '../../outgoing/mail/message.js'
import type { Call } from '../../call/method.js'
import { getAccountStreams } from '../fields.js'
import { checkFieldValue } from '../check-field-value.js'
import { refuseParams } from '../../validation/params.js'
import { setValue } from '../values.js'
import { getConfirmedAddress, getCurrentAddress, isSameAddress } from './address.js'
import { countMessage, getMessageWait } from './message-count.js'
import { sendVerifications } from './verification.js'

/** Lists the addresses, the primary one first. */
export function listAddresses(store: UserStore): EmailView[] {
  const primary = getPrimary(store)
  const others = store.emails.list().filter(({ address }) => !isSameAddress(address, primary?.value))
  return [...(primary ? [primary] : []), ...others.map(each => toView(each, false))]
}

/**
 * Applies changes of the list, and mails the links that they need. `isOwnerProven`: whether the user has
 * proven who they are in this call. Throws `invalid-operation` for an address that is not in the list, or
 * whose state does not allow the change, `item-already-exists`, `invalid-parameters-format`, and
 * `too-many-requests` if too many links were sent.
 */
export function changeAddresses(
  call: Call,
  { add = [], remove = [], resend = [], setPrimary }: EmailChanges,
  isOwnerProven: boolean
): void {
  const { account, changes, services, store } = call
  for (const address of add) addAddress(call, address)
  if (setPrimary !== undefined) makePrimary(call, setPrimary, isOwnerProven)
  for (const address of remove) removeAddress(call, address)
  for (const address of resend) requestAgain(call, address)
  changes.add('account')
  store.unique.assertReserved()
  sendVerifications(services, account.username)
}

/** Returns whether a change of the list makes another address the primary one, which needs a proof of identity. */
export function changesPrimary(store: UserStore, { setPrimary }: EmailChanges): boolean {
  if (setPrimary === undefined) return false
  const known = listAddresses(store).find(({ value }) => isSameAddress(value, setPrimary))
  return known !== undefined && !known.primary && known.status === 'verified'
}

/** Records that an address has been verified; links to it become invalid. Must run within a transaction. */
export function recordVerification(
  store: UserStore,
  address: string,
  { method, now }: { readonly method: VerificationMethod; readonly now: number }
): void {
  const known = store.emails.find(address)
  store.emails.set({ address, added: known?.added ?? now, verified: now, method, sent: known?.sent ?? null })
}

/**
 * Returns the primary address with its state; `undefined` if the account has none. Addresses without a record of
 * their own get a state from the account field.
 */
function getPrimary(store: UserStore): EmailView | undefined {
  const address = getCurrentAddress(store)
  if (address === undefined) return undefined
  const known = store.emails.find(address)
  if (known && known.verified !== null) return { ...toView(known, true), value: address }
  // Confirmed before such records were kept, or without a link.
  const isConfirmed = getConfirmedAddress(store) === address
  const event = store.fields.findActive('email')
  const isUnchanged = event !== undefined && event.created === event.modified
  return {
    value: address,
    primary: true,
    status: isConfirmed ? 'verified' : 'pending',
    verifiedAt: isConfirmed ? (event?.modified ?? null) : null,
    verificationMethod: isConfirmed ? (isUnchanged ? 'registration' : 'legacy') : null
  }
}

function toView({ address, method, verified }: StoredAddress, primary: boolean): EmailView {
  return {
    value: address,
    primary,
    status: verified === null ? 'pending' : 'verified',
    verifiedAt: verified,
    verificationMethod: method
  }
}

function findAddress(store: UserStore, address: string): EmailView {
  const known = listAddresses(store).find(({ value }) => isSameAddress(value, address))
  return known ?? fail('invalid-operation', 'The address is not one of this account', { email: address })
}

/**
 * Adds a pending address and asks for a link to verify it. Errors: `invalid-parameters-format` for what is no
 * address, `invalid-operation` if it is known or there are too many, `item-already-exists` if another account holds
 * it.
 */
function addAddress(call: Call, address: string): void {
  const { account, now, services, store } = call
  const field = getAccountStreams(services.config).byName.get('email')!
  const violation = checkFieldValue(field, address, '#/emails/add')
  if (violation) refuseParams([violation])
  // Older primary addresses may be anything; without mail, one that is added could never be verified.
  if (!isAddress(address))
    refuseParams([{ code: 'email-invalid', message: 'The email is invalid', path: '#/emails/add' }])
  const addresses = listAddresses(store)
  if (addresses.some(({ value }) => isSameAddress(value, address)))
    fail('invalid-operation', 'The address is already one of this account', { email: address })
  const { maxEmails } = services.config.account
  if (addresses.length >= maxEmails)
    fail('invalid-operation', `An account can have at most ${maxEmails} addresses`, { maxEmails })
  const holder = services.platform.findByUnique('email', address)
  if (holder && holder.id !== account.id)
    fail('item-already-exists', 'The address is already taken', { email: address })
  store.emails.set({ address, added: store.stamp(now), verified: null, method: null, sent: null })
  requestLink(call, address)
}

/**
 * Makes a verified address the primary one; the former stays as another address. Error: `invalid-operation` if it is
 * not verified.
 */
function makePrimary(call: Call, address: string, isOwnerProven: boolean): void {
  const { now, services, store } = call
  const { primary, status, value } = findAddress(store, address)
  if (status !== 'verified')
    fail('invalid-operation', 'Only a verified address can be the primary one', { email: address })
  if (primary) return
  const former = getPrimary(store)
  setValue(call, getAccountStreams(services.config).byName.get('email')!, value, isOwnerProven)
  if (!former) return
  const { status: formerStatus, value: kept, verificationMethod, verifiedAt } = former
  const verified = formerStatus === 'verified' ? (verifiedAt ?? now) : null
  store.emails.set({ address: kept, added: now, verified, method: verificationMethod, sent: null })
}

function removeAddress({ store }: Call, address: string): void {
  const { primary, status, value } = findAddress(store, address)
  if (primary) fail('invalid-operation', 'The primary address cannot be removed', { email: address })
  store.emails.remove(value)
  if (status === 'verified') store.unique.release('email', value)
}

/**
 * Queues another verification link. Error: `invalid-operation` if the address is verified, or the last link was sent a
 * short while ago.
 */
function requestAgain(call: Call, address: string): void {
  const { now, services, store } = call
  const { status, value } = findAddress(store, address)
  if (status === 'verified') fail('invalid-operation', 'The address is already verified', { email: address })
  const known = store.emails.find(value)
  const cooldown = services.config.account.emailVerification.resendCooldownMs / 1000
  const wait = Math.ceil((known?.sent ?? -Infinity) + cooldown - now)
  if (wait > 0)
    fail('invalid-operation', 'A link was sent a short while ago', {
      email: address,
      retryAfterSeconds: wait
    })
  if (!known) store.emails.set({ address: value, added: now, verified: null, method: null, sent: null })
  requestLink(call, value)
}

/** Requests a link, which is sent after the commit. Error: `too-many-requests`, so that no account can flood mailboxes. */
function requestLink({ now, services, store }: Call, address: string): void {
  if (!services.mailer.sends('verifyEmail')) return
  if (!countMessage(store, 'verification', now)) {
    const retryAfter = getMessageWait(store, 'verification', now)
    throw new ApiError('too-many-requests', undefined, { retryAfter })
  }
  store.emails.request(address, now)
}
