/** The mail to new users. (docs/spec/authentication.md#mails) */
import type { Message } from '../outgoing/mail/message.js'
import type { Services } from '../call/services.js'

/** Mails a welcome to a new user, in its turn. Never waits, never raises: registration does not depend on it. */
export function welcome(
  { mailer }: Services,
  user: Pick<Message, 'accountId' | 'username' | 'email' | 'language'>
): void {
  if (!mailer.sends('welcome')) return
  const substitutions = { USERNAME: user.username, EMAIL: user.email }
  mailer.send(() => Promise.resolve({ kind: 'welcome', ...user, substitutions }))
}
