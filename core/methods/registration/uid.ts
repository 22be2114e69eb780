/** `registration.uid`: the user name behind an email address, for older clients. (docs/spec/registration.md#finding-an-account) */
import { Type } from 'typebox'
import { Email } from '../../../schemas/account.js'
import { anyone } from '../../auth/allow.js'
import { findAccountByEmail } from '../../platform/find-account.js'
import { serviceMethod } from '../../call/method.js'

/** `GET {register}{email}/uid`. Look-ups are throttled. */
export const uid = serviceMethod({
  id: 'registration.uid',
  summary: 'Look up the username for an email address',
  params: Type.Object({ email: Email }),
  result: Type.Object({ uid: Type.String() }),
  allow: anyone,
  run: ({ services, credentials }, { email }) => ({
    uid: findAccountByEmail(services, credentials, email).username
  })
})
