/** Mails about an account's address: a link that confirms it, and a notice to the address that it replaces. */
import type { UserStore } from '../../../storage/user/user-store.js'
import { createToken } from '../../ids.js'
import type { Message } from '../../outgoing/mail/message.js'
import { getAccountPageUrl } from '../../service-info.js'
import { getConfirmedAddress, getCurrentAddress } from './address.js'
import { countMailTo, countMessage, getMessageWait } from './message-count.js'
import { takeNotice } from './notices.js'
import type { Services } from '../../call/services.js'
import type { Account } from '../../../storage/platform/account.js'

/** Seconds for which a link confirms an address. */
const confirmationLifetime = 86_400

/** Mails a confirmation link to the current address, unless it is confirmed already. Returns at once and never throws. */
export function sendConfirmation(services: Services, username: string): void {
  if (services.mailer.sends('confirmEmail')) services.mailer.send(() => buildConfirmation(services, username))
}

/** Mails the pending notices to an account's previous address. Returns at once and never throws. */
export function sendNotices(services: Services, username: string): void {
  if (services.mailer.sends('emailChanged')) services.mailer.send(() => buildNotice(services, username))
}

/** Builds the mail with a confirmation link; `undefined` if there is nothing to confirm, or too many were sent recently. */
async function buildConfirmation(services: Services, name: string): Promise<Message | undefined> {
  const { accounts, clock, config } = services
  const account = findRecipient(services, name)
  if (!account) return undefined
  const { username } = account
  const store = accounts.openStore(account)
  const now = clock.now()
  const findDue = (): string | undefined => {
    const address = getCurrentAddress(store)
    const isDue = address !== getConfirmedAddress(store) && getMessageWait(store, 'confirmation', now) === 0
    return isDue ? address : undefined
  }
  const due = store.read(findDue)
  if (due === undefined) return undefined
  if (!(await countMailTo(services, 'link', { accountId: account.id, email: due }))) return undefined
  const token = createToken()
  const email = await store.write(() => {
    const address = findDue()
    if (address !== due || !countMessage(store, 'confirmation', now)) return undefined
    // A new link replaces earlier ones.
    store.signIn.removeAll('email')
    store.signIn.insert('email', token, now, now + confirmationLifetime, { address })
    return address
  })
  if (email === undefined) return undefined
  const page = new URL(`${config.publicUrl}/access/confirm-email.html`)
  page.searchParams.set('username', username)
  // The token is in the fragment, which browsers do not send to servers.
  page.hash = `token=${token}`
  const substitutions = { USERNAME: username, EMAIL: email, CONFIRM_LINK: page.href }
  return { ...toRecipient(account, store), kind: 'confirmEmail', email, substitutions, link: page.href }
}

/** Builds the mail with the next pending notice; `undefined` if there is none. */
async function buildNotice(services: Services, name: string): Promise<Message | undefined> {
  const { accounts, config } = services
  const account = findRecipient(services, name)
  if (!account) return undefined
  const { username } = account
  const store = accounts.openStore(account)
  const taken = await store.write(() => takeNotice(store))
  if (!taken) return undefined
  if (taken.hasMore) sendNotices(services, username)
  const { address, by, to } = taken.notice
  const substitutions = {
    USERNAME: username,
    NEW_EMAIL: address,
    ACCOUNT_LINK: getAccountPageUrl(config, username),
    ...(by !== undefined && { APP: by })
  }
  const kind = by === undefined ? 'emailChanged' : 'emailChangedByApp'
  return { ...toRecipient(account, store), kind, email: to, substitutions }
}

/** Returns the account by the name that its owner knows: an app with an alias may have changed the address. */
function findRecipient({ accounts }: Services, name: string): Account | undefined {
  const account = accounts.find(name)
  return account && accounts.toOwn(account)
}

function toRecipient(
  { id, username }: { readonly id: string; readonly username: string },
  store: UserStore
): Pick<Message, 'accountId' | 'username' | 'language'> {
  const language = store.account.field('language')
  return { accountId: id, username, language: typeof language === 'string' ? language : '' }
}
