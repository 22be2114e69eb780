/** Deletes an account. (docs/spec/accounts.md#deleting-an-account) */
import { Type } from 'typebox'
import { closed } from '../../../schemas/scalars.js'
import { isOperator, refuseStranger } from '../../auth/admin.js'
import { anyone } from '../../auth/allow.js'
import { authenticate, hasToken } from '../../auth/authenticate.js'
import { ApiError, fail } from '../../errors.js'
import { accountOf } from '../../platform/find-account.js'
import { serviceMethod, type ServiceCall } from '../../call/method.js'
import { mustBeAnother } from '../../platform/operators.js'
import { removeAccount } from '../../platform/remove-account.js'
import { authorize } from '../../call/authorization-step.js'
import type { Account } from '../../../storage/platform/account.js'

const Params = Type.Object(
  {
    username: Type.String(),
    onlyReg: Type.Optional(Type.Boolean()),
    dryRun: Type.Optional(Type.Boolean())
  },
  closed
)

/** `DELETE /users/{username}?onlyReg=&dryRun=`. The setting `userAccount.delete` says who may do it. To others the route does not seem to exist. */
export const deleteUser = serviceMethod({
  id: 'users.delete',
  summary: 'Delete an account with everything in it',
  params: Params,
  result: Type.Union([
    Type.Object({ userDeletion: Type.Object({ username: Type.String() }) }),
    Type.Object({ result: Type.Object({ dryRun: Type.Boolean(), deleted: Type.Boolean() }) })
  ]),
  mode: 'service',
  allow: { ...anyone, isForOperators: true },
  auditAs: 'admin',
  deed: ({ dryRun }) => (dryRun ? undefined : {}),
  async run(call, { dryRun, onlyReg, ...params }) {
    const { services, credentials } = call
    const username = params.username.toLowerCase()
    const isByOperator =
      services.config.userAccount.delete.includes('adminToken') && isOperator(services, credentials)
    const account = isByOperator ? accountOf(services, username) : await owned(call, username)
    mustBeAnother(call, account)
    if (dryRun) return { result: { dryRun, deleted: false } }
    if (onlyReg)
      fail(
        'invalid-operation',
        'An account cannot lose its registration alone: without "onlyReg", it is deleted with all its data'
      )
    await removeAccount(services, account, credentials.via)
    return { userDeletion: { username } }
  }
})

/** The account whose personal token the caller shows, where that is enough. */
async function owned({ services, credentials, now }: ServiceCall, username: string): Promise<Account> {
  const account = services.accounts.find(username)
  const isAllowed = services.config.userAccount.delete.includes('personalToken')
  if (!account || !isAllowed || !hasToken(credentials)) refuseStranger(services, credentials)
  const store = services.accounts.store(account)
  try {
    const caller = store.read(() => authenticate(services, account, store, credentials, now))
    if (services.authorizationStep) await authorize(services.authorizationStep, account, caller, credentials)
    if (caller.isPersonal) return account
  } catch (error) {
    // A token that is not good enough finds as little as one that is not there.
    if (!(error instanceof ApiError)) throw error
  }
  return refuseStranger(services, credentials)
}
