/**
 * Operators: the users named by the setting `operators`, signed in on the service's own pages.
 * (docs/spec/administration.md#operators)
 */
import type { Account } from '../../storage/platform/account.js'
import { runAuthorizationStep } from '../call/authorization-step.js'
import type { ServiceCall } from '../call/method.js'
import { fail } from '../errors.js'
import { authenticate } from './authenticate.js'
import { isOwnApp } from './trusted-apps.js'

/** Returns whether the setting names an account, by its name or a former one. */
export function isOperator(
  { accounts, config }: Pick<ServiceCall['services'], 'accounts' | 'config'>,
  { id }: Account
): boolean {
  return config.operators.some(name => accounts.findOwn(name)?.id === id)
}

/**
 * Returns the operator of a name, authenticated by the credentials of their session. Counts the call towards
 * the limit of its access, and runs the operator's authorization step. Errors: `unknown-resource` for a user
 * who is no operator, and for the session of another app in place of a page's, the errors of {@link
 * authenticate}, `too-many-requests`, and `AccountElsewhere` if another thread has to be asked.
 */
export async function authenticateOperator(
  { credentials, now, services }: ServiceCall,
  username: string
): Promise<Pick<Account, 'id' | 'username'>> {
  const { accounts, authorizationStep, config } = services
  const account = config.operators.includes(username) ? accounts.findOwn(username) : undefined
  if (!account) fail('unknown-resource', 'Nothing found at this path')
  const store = accounts.openStore(account)
  const caller = store.read(() => authenticate({ services, account, store, credentials, now }))
  // An app in which an operator has signed in could send its own token as the cookie of a page.
  const isOfOtherApp = credentials.pageUser !== undefined && !isOwnApp(caller.access?.name ?? '')
  if (!caller.isPersonal || isOfOtherApp) fail('unknown-resource', 'Nothing found at this path')
  if (services.callLimit && caller.access) services.callLimit.count(account, caller.access)
  if (authorizationStep) await runAuthorizationStep(authorizationStep, account, caller, credentials)
  return { id: account.id, username }
}

/** Throws `invalid-operation` if operators would lock themselves out. */
export function assertNotOwnAccount({ credentials }: ServiceCall, { id }: Account): void {
  if (credentials.operator?.id === id)
    fail('invalid-operation', 'You cannot do this to the account you are signed in with')
}
