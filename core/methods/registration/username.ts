/** `registration.username`: the user name behind an email address. (docs/spec/registration.md#finding-an-account) */
import { Type } from 'typebox'
import { Email } from '../../../schemas/account.js'
import { anyone } from '../../auth/allow.js'
import { findAccountByEmail } from '../../platform/find-account.js'
import { serviceMethod } from '../../call/method.js'

/** `GET {register}{email}/username`. Look-ups are throttled. */
export const username = serviceMethod({
  id: 'registration.username',
  summary: 'Look up the username for an email address (alias)',
  params: Type.Object({ email: Email }),
  result: Type.Object({ username: Type.String() }),
  allow: anyone,
  run: ({ services, credentials }, { email }) => ({
    username: findAccountByEmail(services, credentials, email).username
  })
})
