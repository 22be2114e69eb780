/**
 * The email addresses of an account: the current one, and the confirmed one, to which password reset links are sent. An
 * address is confirmed once the user has set or confirmed it. An address set by an app has to be confirmed first; until
 * then the previous one stays the confirmed address.
 */
import { limitMarks } from '../../../schemas/marks.js'
import type { UserStore } from '../../../storage/user/user-store.js'

/** Returns the confirmed address, if there is one. */
export function getConfirmedAddress(store: UserStore): string | undefined {
  return toText(store.confirmed.find('email'))
}

/** Returns the current address, confirmed or not, if there is one. */
export function getCurrentAddress(store: UserStore): string | undefined {
  return toText(store.account.field('email'))
}

/** Returns whether two addresses name the same mailbox, compared without regard to case. */
export function isSameAddress(one: string | undefined, other: string | undefined): boolean {
  if (one === undefined || other === undefined) return one === other
  return normalizeAddress(one) === normalizeAddress(other)
}

/** Masks an address for recipients who need not know it: `d…@example.com`. */
export function maskAddress(address: string): string {
  const at = address.lastIndexOf('@')
  return at < 1 ? '…' : `${String.fromCodePoint(address.codePointAt(0)!)}…${address.slice(at)}`
}

/** Returns the form in which addresses are compared, as `toUniqueKey` of storage does. */
export function normalizeAddress(address: string): string {
  return limitMarks(address).normalize('NFC').toLowerCase()
}

function toText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}
