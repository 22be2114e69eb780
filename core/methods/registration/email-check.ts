/** `auth.emailCheck`: whether an email address can be registered. (docs/spec/registration.md#checking-an-email-address) */
import { Type } from 'typebox'
import { Email } from '../../../schemas/account.js'
import { anyone } from '../../auth/allow.js'
import { isTakenEmail, refuseAsTaken } from '../../registration/usernames.js'
import { serviceMethod } from '../../call/method.js'

/**
 * `GET {register}{email}/check_email`: throws an error if the address is taken. Some clients read `reserved`,
 * others `exists`. Look-ups are throttled.
 */
export const emailCheck = serviceMethod({
  id: 'auth.emailCheck',
  summary: 'Check whether an email address is taken',
  params: Type.Object({ email: Email }),
  result: Type.Object({ reserved: Type.Literal(false), exists: Type.Literal(false) }),
  allow: anyone,
  run({ services, credentials }, { email }) {
    services.throttle.lookUp(credentials.ip)
    if (isTakenEmail(services, email)) refuseAsTaken('email', email, { exists: true })
    return { reserved: false, exists: false }
  }
})
