/** What is mailed, before a template makes text of it. */
import type { Config } from '../../settings/config.js'

/** The mails there are. */
export type MessageKind = 'welcome' | 'resetPassword' | 'confirmEmail' | 'emailChanged' | 'emailChangedByApp'

export interface Message {
  readonly kind: MessageKind
  /** For the log. */
  readonly accountId: string
  readonly username: string
  readonly email: string
  /** The user's language, as the account has it. */
  readonly language: string
  /** Values of the template's placeholders. */
  readonly substitutions: Readonly<Record<string, string>>
  /** What the letter is about: given to the operator where there is no mail server. */
  readonly link?: string
}

/** The template that a letter is made of. */
export function templateOf({ services }: Config, kind: MessageKind): string {
  const { resetPasswordTemplate, welcomeTemplate } = services.email
  return {
    welcome: welcomeTemplate,
    resetPassword: resetPasswordTemplate,
    confirmEmail: 'confirm-email',
    emailChanged: 'email-changed',
    emailChangedByApp: 'email-changed-by-app'
  }[kind]
}

/**
 * Whether a text is one address, of characters that mean nothing else to mail servers. Older accounts may have others: they
 * are never written to.
 */
export function isAddress(email: string): boolean {
  return (
    /^[^\s\p{Cc}\p{Cf}\p{Cs}@<>()[\],;:"\\]+@[^\s\p{Cc}\p{Cf}\p{Cs}@<>()[\],;:"\\]+$/u.test(email) &&
    email.length <= 300
  )
}

/** What hands a letter over. Rejects when it could not be. */
export interface MailTransport {
  deliver(letter: Message, signal: AbortSignal): Promise<void>
}

/** Languages to look for a letter in: the user's own, that without its region, then the operator's choice. */
export function languagesOf({ language }: Message, standard: string): string[] {
  const own = /^[a-z]{2,3}(?:[-_][a-z0-9]{2,3})?$/i.test(language)
    ? [language, language.split(/[-_]/)[0]!]
    : []
  return [...new Set([...own, standard].map(name => name.toLowerCase()))]
}
