/** The mail to new users. (docs/spec/authentication.md#mails) */
import type { Message } from '../outgoing/mail/message.js'
import type { Services } from '../call/services.js'

/** Queues a welcome mail to a new user. Returns at once and never throws: registration does not depend on it. */
export function sendWelcomeMail(
  { mailer }: Services,
  user: Pick<Message, 'accountId' | 'username' | 'email' | 'language'>
): void {
  if (!mailer.sends('welcome')) return
  const substitutions = { USERNAME: user.username, EMAIL: user.email }
  mailer.send(() => Promise.resolve({ kind: 'welcome', ...user, substitutions }))
}
