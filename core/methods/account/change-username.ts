/** `account.changeUsername`: gives the account another name. (docs/spec/usernames.md#changing-the-name) */
import { Type, type Static } from 'typebox'
import { Value } from 'typebox/value'
import { AccountView, Username } from '../../../schemas/account.js'
import { closed } from '../../../schemas/scalars.js'
import { toAccountObject } from '../../account/account-object.js'
import { getUsernameChanges } from '../../account/username-changes.js'
import { personalOnly } from '../../auth/allow.js'
import { method, type Call } from '../../call/method.js'
import { fail } from '../../errors.js'
import { isRefusedUsername } from '../../registration/usernames.js'
import { notifyUser } from '../../sign-in/notices/notices.js'

const Params = Type.Object({ newUsername: Type.String({ maxLength: 1000 }) }, closed)

/**
 * Changes the name in one transaction of the platform file. The former name keeps leading to the account.
 * Afterwards, the user is notified by mail, and sockets by `accountChanged`. Throws `item-already-exists` for
 * a taken name, `invalid-operation` for one that is not allowed, if changes are off, or if there were too
 * many.
 */
export const changeUsername = method<typeof Params>({
  id: 'account.changeUsername',
  summary: 'Change the username',
  params: Params,
  result: Type.Object({ account: AccountView, usernameChangesRemaining: Type.Integer() }),
  mode: 'write',
  mayExceedQuota: true,
  allow: personalOnly,
  async prepare(call, params) {
    const { account, now, services } = call
    const { usernameChangeInterval: interval, usernameChangeLimit: limit } = services.config.auth
    // Refuses the call if changes are off.
    getUsernameChanges(services, account, now)
    assertValid(call, params)
    const { newUsername } = params
    const refusal = await services.accounts.changeUsername(account, newUsername, now, { limit, interval })
    if (refusal === 'taken')
      fail('item-already-exists', 'This username is already taken', { username: newUsername })
    if (refusal) refuseChange(call, refusal)
  },
  run(call, { newUsername }) {
    const { account, changes, now, services } = call
    changes.add('username')
    // Cached data of the account is invalid.
    changes.add('account')
    notifyUser(call, { kind: 'usernameChanged', formerUsername: account.username })
    const renamed = { ...account, username: newUsername }
    return {
      account: toAccountObject({ ...call, account: renamed }),
      usernameChangesRemaining: getUsernameChanges(services, account, now).usernameChangesRemaining
    }
  }
})

/** Throws `invalid-operation` for a name that no account can have. The current name is not checked here. */
function assertValid({ account, services }: Call, params: Static<typeof Params>): void {
  const { newUsername } = params
  const isValid: boolean = Value.Check(Username, newUsername)
  // An account may keep a name that others could not choose now.
  if (newUsername === account.username) return
  if (!isValid)
    fail(
      'invalid-operation',
      'A username has 5 to 60 lower-case letters, digits and hyphens, and neither begins nor ends with a hyphen',
      { newUsername: newUsername.slice(0, 100), param: 'username', code: 'username-invalid' }
    )
  if (isRefusedUsername(newUsername, services.config))
    fail('invalid-operation', 'This username is reserved', {
      newUsername,
      param: 'username',
      code: 'username-taken'
    })
}

const reasons = {
  same: 'This already is the username',
  exhausted: 'The username has been changed as often as this service allows',
  tooSoon: 'The username was changed not long ago. Try again later'
}

function refuseChange({ account, now, services }: Call, reason: keyof typeof reasons): never {
  const { usernameChangesRemaining: _left, ...changes } = getUsernameChanges(services, account, now)
  fail('invalid-operation', reasons[reason], changes)
}
