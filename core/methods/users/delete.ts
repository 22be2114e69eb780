/** Deletes an account. (docs/spec/accounts.md#deleting-an-account) */
import { Type } from 'typebox'
import { proofParams } from '../../../schemas/passkey.js'
import { closed } from '../../../schemas/scalars.js'
import { verifyOperator, refuseUnknownPath } from '../../auth/admin.js'
import { anyone } from '../../auth/allow.js'
import { authenticate, hasPresentedToken } from '../../auth/authenticate.js'
import { runAuthorizationStep } from '../../call/authorization-step.js'
import { createCall, serviceMethod, type Call, type ServiceCall } from '../../call/method.js'
import { ApiError, fail } from '../../errors.js'
import { requireAccount } from '../../platform/find-account.js'
import { assertNotOwnAccount } from '../../auth/operators.js'
import { removeAccount, announceAccountChange } from '../../platform/remove-account.js'
import { requireOwner } from '../../sign-in/passkeys/owner-proof.js'
import { notifyUser } from '../../sign-in/notices/notices.js'

const Params = Type.Object(
  {
    username: Type.String(),
    onlyReg: Type.Optional(Type.Boolean()),
    dryRun: Type.Optional(Type.Boolean()),
    /** The proof of identity, needed without a recent sign-in. */
    ...proofParams
  },
  closed
)

/**
 * Handles `DELETE /users/{username}?onlyReg=&dryRun=`. The setting `userAccount.delete` says who may do it.
 * For other callers the route does not seem to exist. Operators delete at once; owners need a proof or a
 * recent sign-in, and a grace period may follow. With `dryRun` nothing is deleted; `onlyReg` is refused.
 * Operators cannot delete their own account here.
 */
export const deleteUser = serviceMethod({
  id: 'users.delete',
  summary: 'Delete an account with all its data',
  params: Params,
  result: Type.Union([
    /** `time`: when the account will be deleted, in seconds; absent if it has been deleted already. */
    Type.Object({
      userDeletion: Type.Object({ username: Type.String(), time: Type.Optional(Type.Number()) })
    }),
    Type.Object({ result: Type.Object({ dryRun: Type.Boolean(), deleted: Type.Boolean() }) })
  ]),
  allow: { ...anyone, isForOperators: true },
  auditActor: 'admin',
  describeAction: ({ dryRun }) => (dryRun ? undefined : {}),
  async run(call, { dryRun, onlyReg, ...params }) {
    const { services, credentials } = call
    const username = params.username.toLowerCase()
    const isByOperator =
      services.config.userAccount.delete.includes('adminToken') && verifyOperator(services, credentials)
    const own = isByOperator ? undefined : await findOwnerCall(call, username)
    const account = own?.account ?? requireAccount(services, username)
    assertNotOwnAccount(call, account)
    if (dryRun) return { result: { dryRun, deleted: false } }
    if (onlyReg)
      fail(
        'invalid-operation',
        'The registration alone cannot be removed. Leave out "onlyReg" to delete the account with all its data'
      )
    if (own) return { userDeletion: await deleteOwnAccount(own, params) }
    await removeAccount(services, account, credentials.via)
    return { userDeletion: { username } }
  }
})

/**
 * Deletes an account at its owner's request: after a grace period, if the settings define one. Returns when,
 * in seconds. One that is scheduled already stays so.
 */
async function deleteOwnAccount(
  call: Call,
  proof: Parameters<typeof requireOwner>[1]
): Promise<{ username: string; time?: number }> {
  const { account, credentials, now, services } = call
  const { username } = account
  // Asking again changes nothing.
  if (account.deletion !== null) return { username, time: account.deletion }
  await requireOwner(call, proof)
  const grace = services.config.userAccount.deletionGraceDays * 86_400
  if (grace > 0) return { username, time: await scheduleDeletion(call, now + grace) }
  await removeAccount(services, account, credentials.via)
  return { username }
}

/**
 * Returns a call of the owner whose personal token the credentials hold. If there is none, or the settings do
 * not allow it, the route does not seem to exist.
 */
async function findOwnerCall(service: ServiceCall, username: string): Promise<Call> {
  const { services, credentials, now } = service
  const account = services.accounts.findServed(username)
  const isAllowed = services.config.userAccount.delete.includes('personalToken')
  // A session under another name, as on the operators' page, is not the owner's.
  const isOther = credentials.pageUser !== undefined && credentials.pageUser !== username
  if (!account || !isAllowed || isOther || !hasPresentedToken(credentials))
    refuseUnknownPath(services, credentials)
  const store = services.accounts.openStore(account)
  try {
    const caller = store.read(() => authenticate({ services, account, store, credentials, now }))
    if (services.authorizationStep)
      await runAuthorizationStep(services.authorizationStep, account, caller, credentials)
    if (caller.isPersonal) return createCall(service, { account, caller, store })
  } catch (error) {
    // An insufficient token gets the same error as a missing one.
    if (!(error instanceof ApiError)) throw error
  }
  return refuseUnknownPath(services, credentials)
}

/**
 * Closes the account until `time` (seconds): from now on calls on it fail, sockets are closed, webhooks are not called.
 * Notifies the user by mail. Returns when it will be deleted. (docs/spec/accounts.md#deleting-an-account)
 */
async function scheduleDeletion(call: Call, time: number): Promise<number> {
  const { account, credentials, services } = call
  const { accounts } = services
  const announce = (): void => announceAccountChange(services, account)
  const isSocket = credentials.via === 'socket.io'
  const deletion = await accounts.closeUntilDeletion(account, time, isSocket ? undefined : announce)
  const closing = accounts.findClosing(account.username)
  if (closing) {
    // In a cluster, its file may take a while to be opened again.
    await accounts.waitUntilReady(closing)
    const store = accounts.openStore(closing)
    await store.write(() =>
      notifyUser({ ...call, account: closing, store }, { kind: 'deletionScheduled', deletion })
    )
  }
  // A socket that made the call gets the response before it is closed.
  if (isSocket) announce()
  return deletion
}
