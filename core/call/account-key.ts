/** The key by which work is shared out among accounts. */
import type { SharedServices } from './dispatcher.js'

/**
 * Returns the id of the account that a request names, by its user name or by the alias of an access: aliases are no accounts of
 * their own. Returns the name if it is unknown here.
 */
export function getAccountKey({ accounts }: Pick<SharedServices, 'accounts'>, user: string): string {
  return accounts.findServed(user)?.id ?? user
}
