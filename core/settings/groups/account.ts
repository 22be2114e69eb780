/** Settings of accounts: their email addresses. */
import { group, integer, milliseconds } from '../kinds.js'

export const account = group({
  maxEmails: integer('Maximum number of email addresses of an account', 5, 1, 20),
  emailVerification: group({
    tokenMaxAgeMs: milliseconds(
      'Lifetime of a link that verifies an email address, in milliseconds',
      86_400_000
    ),
    resendCooldownMs: integer(
      'Time until another link can be sent to the same email address, in milliseconds',
      300_000
    )
  })
})
