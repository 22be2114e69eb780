/** `auth.usernameCheck`: whether a user name is available. (docs/spec/registration.md#checking-a-user-name) */
import { Type } from 'typebox'
import { Username } from '../../../schemas/account.js'
import { anyone } from '../../auth/allow.js'
import { findUsernameProblem, refuseAsTaken } from '../../registration/usernames.js'
import { serviceMethod } from '../../call/method.js'

/**
 * `GET {register}{username}/check_username`, `GET /reg/{username}/check`: returns `reserved: false` for a name that is
 * available. Throws `item-already-exists` for one that is taken, or that the service reserves (then with a `reason`).
 * Look-ups are throttled.
 */
export const usernameCheck = serviceMethod({
  id: 'auth.usernameCheck',
  summary: 'Check whether a username is available',
  params: Type.Object({ username: Username }),
  result: Type.Object({ reserved: Type.Literal(false) }),
  allow: anyone,
  run({ services, credentials }, { username }) {
    services.throttle.lookUp(credentials.ip)
    const problem = findUsernameProblem(services, username)
    if (problem === 'reserved') refuseAsTaken('username', username, { reason: 'RESERVED_USER_NAME' })
    if (problem) refuseAsTaken('username', username)
    return { reserved: false }
  }
})
