/** What the service's own pages have to know of the settings, so as to promise nothing that will not happen. */
import type { Config } from './config.js'

export interface PageFacts {
  /** How a link that sets a new password gets to people: by mail, through the operator, or not at all. */
  readonly passwordReset: 'mail' | 'operator' | 'none'
  /** Who may register: everybody, those with an invitation, or nobody. */
  readonly registration: 'open' | 'invited' | 'closed'
}

export function pageFacts({ registration, services }: Config): PageFacts {
  const { enabled, http, smtp } = services.email
  const isEnabled = typeof enabled === 'boolean' ? enabled : enabled.resetPassword
  const hasServer = http.url !== '' || smtp.host !== ''
  const { invitationTokens } = registration
  return {
    passwordReset: !isEnabled ? 'none' : hasServer ? 'mail' : 'operator',
    registration: invitationTokens === null ? 'open' : invitationTokens.length === 0 ? 'closed' : 'invited'
  }
}
