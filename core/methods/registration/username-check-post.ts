/** `auth.usernameCheckPost`: the check of older clients. (docs/spec/compatibility.md#older-registration-routes) */
import { Username } from '../../../schemas/account.js'
import { anyone } from '../../auth/allow.js'
import { serviceMethod } from '../../call/method.js'
import { findUsernameProblem } from '../../registration/usernames.js'
import { createOlderCheck } from '../../registration/older-check.js'

/** `POST {register}username/check`. */
export const usernameCheckPost = serviceMethod({
  id: 'auth.usernameCheckPost',
  summary: 'Check whether a username is available (older form)',
  allow: anyone,
  ...createOlderCheck('username', Username, findUsernameProblem)
})
