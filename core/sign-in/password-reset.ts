/** Links that set a new password: made and mailed after the answer to whoever asked for one. (docs/spec/authentication.md#resetting-a-password) */
import { confirmedAddress } from '../account/email/address.js'
import { takeMessage } from '../account/email/message-count.js'
import { sendNotices } from '../account/email/messages.js'
import { hasNotices } from '../account/email/notices.js'
import { newToken } from '../ids.js'
import type { Message } from '../outgoing/mail/message.js'
import type { Services } from '../call/services.js'

/** Mails a link to a user, if there is one of that name. Never waits, never raises. */
export function askForReset(core: Services, username: string): void {
  if (core.mailer.sends('resetPassword')) core.mailer.send(() => resetLetter(core, username))
}

/** To the address that counts: whoever only got an app to put another one in force gets nothing. */
async function resetLetter(core: Services, username: string): Promise<Message | undefined> {
  const { accounts, clock, config } = core
  const account = accounts.find(username)
  if (!account) return undefined
  const store = accounts.store(account)
  const now = clock.now()
  // What a crash kept from being told.
  if (hasNotices(store)) sendNotices(core, username)
  const token = newToken()
  const email = await store.write(() => {
    const address = confirmedAddress(store)
    if (address === undefined || !takeMessage(store, 'reset', now)) return undefined
    // A new link takes the place of those before.
    store.signIn.removeAll('reset')
    store.signIn.insert('reset', token, now, now + config.auth.passwordResetMaxAge, {})
    return address
  })
  if (email === undefined) return undefined
  const language = store.account.field('language')
  const page = resetPage(core)
  const link = new URL(page)
  link.searchParams.set('resetToken', token)
  link.searchParams.set('username', username)
  return {
    kind: 'resetPassword',
    accountId: account.id,
    username,
    email,
    language: typeof language === 'string' ? language : '',
    substitutions: { USERNAME: username, RESET_TOKEN: token, RESET_URL: page, RESET_LINK: link.href },
    link: link.href
  }
}

/** The page that takes tokens. */
function resetPage({ config }: Services): string {
  return config.auth.passwordResetPageURL || `${config.publicUrl}/access/reset-password.html`
}
