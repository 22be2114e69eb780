/** What the service's own pages need to know about the settings, so that they only offer what is available. */
import type { Config } from './config.js'
import { getRelyingParty } from './relying-party.js'

interface PageFacts {
  /** How users get password reset links: by mail, from the operator, or not at all. */
  readonly passwordReset: 'mail' | 'operator' | 'none'
  /** Whether users get mails: links that confirm an address, notices of changes. */
  readonly sendsMail: boolean
  /** Whether people sign in with passwords. */
  readonly hasPasswords: boolean
  /** Providers with which users can sign in, and whether new users may register with them. */
  readonly providers: readonly { readonly name: string; readonly label: string; readonly isOpen: boolean }[]
  /** Who may register: anyone, people with an invitation, or no one. */
  readonly registration: 'open' | 'invited' | 'closed'
  /** Storage limit of an account, in bytes; 0: no limit. */
  readonly quota: number
  /** Whether people can delete their accounts themselves. */
  readonly isDeletable: boolean
  /** Days for which a deleted account can be kept. */
  readonly deletionGraceDays: number
  /** Whether there is a map to draw places on. */
  readonly hasMap: boolean
  /** Origin of pages on which passkeys work; `null` if passkeys work on no page. */
  readonly passkeyOrigin: string | null
  /** Whether users can agree with other accounts to share data. */
  readonly hasConsent: boolean
  /** Whether users can get notifications. */
  readonly hasChannels: boolean
  /** Origins of apps that may get the API endpoint of an access that a user grants to another account. */
  readonly trustedReturnOrigins: readonly string[]
}

/** Returns what pages have to know of the settings. */
export function getPageFacts(config: Config): PageFacts {
  const { app, auth, channels, cmc, quota, registration, services, userAccount } = config
  const { enabled, http, smtp } = services.email
  const isEnabled = typeof enabled === 'boolean' ? enabled : (enabled.resetPassword ?? true)
  const hasServer = http.url !== '' || smtp.host !== ''
  const { invitationTokens } = registration
  const hasPasswords = auth.passwords === 'on'
  return {
    passwordReset: !isEnabled || !hasPasswords ? 'none' : hasServer ? 'mail' : 'operator',
    sendsMail: isEnabled && hasServer,
    hasPasswords,
    providers: auth.oidc.map(({ autoRegister = false, label, name }) => ({
      name,
      label: label ?? name,
      isOpen: autoRegister
    })),
    registration: invitationTokens === null ? 'open' : invitationTokens.length === 0 ? 'closed' : 'invited',
    quota: quota.bytes,
    isDeletable: userAccount.delete.includes('personalToken'),
    deletionGraceDays: userAccount.deletionGraceDays,
    hasMap: app.mapFile !== '',
    passkeyOrigin: getRelyingParty(config)?.origin ?? null,
    hasConsent: cmc.enabled,
    hasChannels: channels.enabled,
    trustedReturnOrigins: cmc.trustedReturnOrigins
  }
}
