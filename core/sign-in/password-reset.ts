/** Password reset links, created and mailed after the response to the request for one. (docs/spec/authentication.md#resetting-a-password) */
import { getConfirmedAddress } from '../account/email/address.js'
import { countMessage } from '../account/email/message-count.js'
import { sendNotices } from '../account/email/messages.js'
import { hasNotices } from '../account/email/notices.js'
import { createToken } from '../ids.js'
import type { Message } from '../outgoing/mail/message.js'
import type { Services } from '../call/services.js'
import type { Config } from '../settings/config.js'
import type { UserStore } from '../../storage/user/user-store.js'

/**
 * Mails a link to the user of this name, if such a user exists, has a confirmed address and was not sent too
 * many. Earlier links become invalid. Returns at once and never throws.
 */
export function sendResetLink(services: Services, username: string): void {
  if (services.mailer.sends('resetPassword'))
    services.mailer.send(() => buildResetMessage(services, username))
}

/**
 * Stores the token of a new link, and builds the mail to the confirmed address: an app may have set the
 * current address. Returns `undefined` if none is sent. Also sends notices that were left over.
 */
async function buildResetMessage(services: Services, username: string): Promise<Message | undefined> {
  const { accounts, clock, config } = services
  const account = accounts.findServed(username)
  if (!account) return undefined
  const store = accounts.openStore(account)
  const now = clock.now()
  // Notices that were not sent because of a crash.
  if (hasNotices(store)) sendNotices(services, username)
  const token = createToken()
  const email = await store.write(() => {
    const address = getConfirmedAddress(store)
    if (address === undefined || !countMessage(store, 'reset', now)) return undefined
    storeResetToken(services, store, token, now)
    return address
  })
  if (email === undefined) return undefined
  const language = store.account.field('language')
  const page = getResetPage(config)
  const link = buildResetLink(config, username, token)
  return {
    kind: 'resetPassword',
    accountId: account.id,
    username,
    email,
    language: typeof language === 'string' ? language : '',
    substitutions: { USERNAME: username, RESET_TOKEN: token, RESET_URL: page, RESET_LINK: link },
    link
  }
}

/**
 * Stores the token of a new link, which replaces earlier links. Must run within a transaction. Returns when the link
 * expires, in seconds.
 */
export function storeResetToken(
  { config }: Pick<Services, 'config'>,
  store: UserStore,
  token: string,
  now: number
): number {
  const ends = now + config.auth.passwordResetMaxAge
  store.signIn.removeAll('reset')
  store.signIn.insert('reset', token, now, ends, {})
  return ends
}

/** Returns the link with the token for the user. */
export function buildResetLink(config: Config, username: string, token: string): string {
  const link = new URL(getResetPage(config))
  link.searchParams.set('resetToken', token)
  link.searchParams.set('username', username)
  return link.href
}

/** Returns the page to which links lead. */
function getResetPage(config: Config): string {
  return config.auth.passwordResetPageURL || `${config.publicUrl}/access/reset-password.html`
}
