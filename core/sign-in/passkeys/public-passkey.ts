/** Passkeys as their owner sees them. */
import type { Passkey } from '../../../schemas/passkey.js'
import type { StoredPasskey } from '../../../storage/sign-in/passkeys.js'
import type { UserStore } from '../../../storage/user/user-store.js'
import { fail, quoteText } from '../../errors.js'

/** Maximum number of passkeys of an account. */
export const maxPasskeys = 50

/** Returns a passkey without its key. */
export function toPublicPasskey({ created, id, isSynced, name, used }: StoredPasskey): Passkey {
  return { id, name, created, ...(used !== null && { lastUsed: used }), isSynced }
}

/** Returns the passkey with this id. Throws `unknown-resource`. */
export function requirePasskey(store: UserStore, id: string): StoredPasskey {
  return store.passkeys.find(id) ?? fail('unknown-resource', `Unknown passkey ${quoteText(id)}`)
}
