/** What the service's own pages have to know about the settings, so that they only offer what is available. */
import type { Config } from './config.js'

export interface PageFacts {
  /** How users get password reset links: by mail, from the operator, or not at all. */
  readonly passwordReset: 'mail' | 'operator' | 'none'
  /** Who may register: everybody, those with an invitation, or nobody. */
  readonly registration: 'open' | 'invited' | 'closed'
  /** Bytes that an account may store; 0: no limit. */
  readonly quota: number
  /** Whether people can delete their accounts themselves. */
  readonly isDeletable: boolean
  /** Whether there is a map to draw places on. */
  readonly hasMap: boolean
}

export function pageFacts({ app, quota, registration, services, userAccount }: Config): PageFacts {
  const { enabled, http, smtp } = services.email
  const isEnabled = typeof enabled === 'boolean' ? enabled : enabled.resetPassword
  const hasServer = http.url !== '' || smtp.host !== ''
  const { invitationTokens } = registration
  return {
    passwordReset: !isEnabled ? 'none' : hasServer ? 'mail' : 'operator',
    registration: invitationTokens === null ? 'open' : invitationTokens.length === 0 ? 'closed' : 'invited',
    quota: quota.bytes,
    isDeletable: userAccount.delete.includes('personalToken'),
    hasMap: app.mapFile !== ''
  }
}
