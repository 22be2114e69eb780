/**
 * The addresses of an account: the one in force, and the one that counts, where links to set a new password go. An address
 * counts once the person has set or confirmed it; what an app puts in force has to wait for that, and meanwhile the one
 * before goes on to count.
 */
import type { UserStore } from '../../../storage/user/user-store.js'

/** The address that counts, if there is one. */
export function confirmedAddress(store: UserStore): string | undefined {
  return textOf(store.confirmed.find('email'))
}

/** The address in force, whoever has set it. */
export function currentAddress(store: UserStore): string | undefined {
  return textOf(store.account.field('email'))
}

/** Whether mails to one are mails to the other, as far as that can be told. */
export function isSameAddress(one: string | undefined, other: string | undefined): boolean {
  return normalized(one) === normalized(other)
}

/** An address for those who need not learn it: `d…@example.com`. */
export function veiled(address: string): string {
  const at = address.lastIndexOf('@')
  return at < 1 ? '…' : `${String.fromCodePoint(address.codePointAt(0)!)}…${address.slice(at)}`
}

function normalized(address: string | undefined): string | undefined {
  return address?.normalize('NFC').toLowerCase()
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}
