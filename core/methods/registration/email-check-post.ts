/** `auth.emailCheckPost`: the check of older clients. (docs/spec/compatibility.md#older-registration-routes) */
import { Email } from '../../../schemas/account.js'
import { anyone } from '../../auth/allow.js'
import { serviceMethod } from '../../call/method.js'
import { isTakenEmail } from '../../registration/usernames.js'
import { createOlderCheck } from '../../registration/older-check.js'

/** `POST {register}email/check`. */
export const emailCheckPost = serviceMethod({
  id: 'auth.emailCheckPost',
  summary: 'Check whether an email address is available (older form)',
  allow: anyone,
  ...createOlderCheck('email', Email, isTakenEmail)
})
