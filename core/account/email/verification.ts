/** Mails with links that verify addresses. (docs/spec/accounts.md#several-addresses) */
import { randomBytes } from 'node:crypto'
import type { UserStore } from '../../../storage/user/user-store.js'
import { getConfirmedAddress, getCurrentAddress } from './address.js'
import { countMailTo } from './message-count.js'
import type { Message } from '../../outgoing/mail/message.js'
import type { Config } from '../../settings/config.js'
import type { Services } from '../../call/services.js'

/** Mails the links that an account has requested, after the response. Never throws. */
export function sendVerifications(services: Services, username: string): void {
  if (services.mailer.sends('verifyEmail')) services.mailer.send(() => buildVerification(services, username))
}

/**
 * Requests a link to the address of a new account, if it has one; the address counts as verified already
 * unless it has to be confirmed.
 */
export function requestVerification(store: UserStore, now: number): void {
  const address = getCurrentAddress(store)
  if (address === undefined) return
  const isConfirmed = getConfirmedAddress(store) === address
  store.emails.set({
    address,
    added: now,
    verified: isConfirmed ? now : null,
    method: isConfirmed ? 'registration' : null,
    sent: null
  })
  store.emails.request(address, now)
}

/** Builds the mail to the next address for which a link was requested. A call that was rolled back has requested none. */
async function buildVerification(services: Services, username: string): Promise<Message | undefined> {
  const { accounts, clock, config } = services
  const account = accounts.find(username)
  if (!account) return undefined
  const store = accounts.openStore(account)
  const address = await store.write(() => store.emails.takeDue())
  if (address === undefined) return undefined
  sendVerifications(services, username)
  if (!(await countMailTo(services, 'link', { accountId: account.id, email: address }))) return undefined
  const now = clock.now()
  const token = randomBytes(32).toString('base64url')
  const expires = now + config.account.emailVerification.tokenMaxAgeMs / 1000
  // The address may have been removed in the meantime.
  if (!(await store.write(() => store.emails.setToken(address, token, expires)))) return undefined
  const language = store.account.field('language')
  const page = getPage(config)
  const link = buildLink(config, username, token)
  return {
    kind: 'verifyEmail',
    accountId: account.id,
    username,
    email: address,
    language: typeof language === 'string' ? language : '',
    substitutions: {
      USERNAME: username,
      EMAIL: address,
      VERIFY_TOKEN: token,
      VERIFY_URL: page,
      VERIFY_LINK: link
    },
    link
  }
}

function buildLink(config: Config, username: string, token: string): string {
  const link = new URL(getPage(config))
  link.searchParams.set('verifyToken', token)
  link.searchParams.set('username', username)
  return link.href
}

/** Returns the page to which links lead. */
function getPage(config: Config): string {
  return config.auth.emailVerificationPageURL || `${config.publicUrl}/access/verify-email.html`
}
