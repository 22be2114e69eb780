/** Rules for the actions of operators on accounts. (docs/spec/administration.md#people) */
import type { Account } from '../../storage/platform/account.js'
import type { ServiceCall } from '../call/method.js'
import { fail } from '../errors.js'

/** Throws `invalid-operation` if operators would lock themselves out. */
export function assertNotOwnAccount({ credentials }: ServiceCall, { id }: Account): void {
  if (credentials.operator?.id === id)
    fail('invalid-operation', 'You cannot do this to the account you are signed in with')
}
