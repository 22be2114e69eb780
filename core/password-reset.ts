/** Links that set a new password: made and mailed after the answer to whoever asked for one. (supplement 4.5) */
import { newToken } from './ids.js'
import type { Core } from './method.js'
import type { Letter } from './mail/letter.js'

/** Links that may be good at a time: more are not mailed, so that nobody's mailbox is filled. */
const linksAtOnce = 5

/** Mails a link to a user, if there is one of that name. Never waits, never raises. */
export function askForReset(core: Core, username: string): void {
  if (core.mailer.sends('resetPassword')) core.mailer.send(() => resetLetter(core, username))
}

async function resetLetter(core: Core, username: string): Promise<Letter | undefined> {
  const { accounts, clock, config } = core
  const account = accounts.find(username)
  if (!account) return undefined
  const store = accounts.store(account)
  const now = clock.now()
  const email = store.account.field('email')
  const language = store.account.field('language')
  if (typeof email !== 'string') return undefined
  const token = newToken()
  const isKept = await store.write(() => {
    // Counted where it is kept: letters are made several at a time.
    if (store.signIn.count('reset', now) >= linksAtOnce) return false
    store.signIn.insert('reset', token, now, now + config.auth.passwordResetMaxAge, {})
    return true
  })
  if (!isKept) return undefined
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
function resetPage({ config }: Core): string {
  return config.auth.passwordResetPageURL || `${config.publicUrl}/access/reset-password.html`
}
