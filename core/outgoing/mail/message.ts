/** Mail messages before a template turns them into text. */
import type { Config } from '../../settings/config.js'

/** All kinds of mails. */
export type MessageKind =
  | 'welcome'
  | 'resetPassword'
  | 'confirmEmail'
  | 'verifyEmail'
  | 'emailChanged'
  | 'emailChangedByApp'
  | 'backupFailed'
  | 'alarms'
  | 'notification'
  | 'letter'
  | 'test'
  | NoticeKind

/** Kinds of notices about signing in, and their templates. */
const noticeTemplates = {
  signedIn: 'signed-in',
  passkeyAdded: 'passkey-added',
  passkeyRemoved: 'passkey-removed',
  passkeyCopied: 'passkey-copied',
  identityLinked: 'identity-linked',
  identityUnlinked: 'identity-unlinked',
  secondFactorOn: 'second-factor-on',
  secondFactorOff: 'second-factor-off',
  passwordChanged: 'password-changed',
  usernameChanged: 'username-changed',
  noticesOff: 'notices-off',
  deletionScheduled: 'deletion-scheduled'
} as const
export type NoticeKind = keyof typeof noticeTemplates

/** All kinds of notices. */
export const noticeKinds = Object.keys(noticeTemplates) as NoticeKind[]

/** Returns whether a mail is a notice about signing in. */
export function isNotice(kind: MessageKind): kind is NoticeKind {
  return Object.hasOwn(noticeTemplates, kind)
}

export interface Message {
  readonly kind: MessageKind
  /** Id of the account, for the log. */
  readonly accountId: string
  readonly username: string
  readonly email: string
  /** The language set in the user's account. */
  readonly language: string
  /** Values of the template's placeholders. */
  readonly substitutions: Readonly<Record<string, string>>
  /** The link in the mail: logged for the operator if there is no mail server. */
  readonly link?: string
  /** A URL at which a POST ends these mails, without signing in (RFC 8058). */
  readonly unsubscribe?: string
}

/** Returns the name of the template for a kind of mail. */
export function getTemplate({ services }: Config, kind: MessageKind): string {
  const { resetPasswordTemplate, welcomeTemplate } = services.email
  return {
    ...noticeTemplates,
    welcome: welcomeTemplate,
    resetPassword: resetPasswordTemplate,
    confirmEmail: 'confirm-email',
    verifyEmail: 'verify-email',
    emailChanged: 'email-changed',
    emailChangedByApp: 'email-changed-by-app',
    backupFailed: 'backup-failed',
    alarms: 'alarms',
    notification: 'notification',
    letter: 'letter',
    test: 'test'
  }[kind]
}

/**
 * Returns whether text is a single address without characters that are special to mail servers. Older accounts may have
 * other addresses: nothing is sent to such addresses.
 */
export function isAddress(email: string): boolean {
  return (
    /^[^\s\p{Cc}\p{Cf}\p{Cs}@<>()[\],;:"\\]+@[^\s\p{Cc}\p{Cf}\p{Cs}@<>()[\],;:"\\]+$/u.test(email) &&
    email.length <= 300
  )
}

/** Delivers messages. Rejects if that fails. */
export interface MailTransport {
  /** Hands a mail over. Rejects if that fails; the mailer then repeats it. */
  deliver(message: Message, signal: AbortSignal): Promise<void>
}

/** Returns the languages in which to look for a template: the user's, the same without its region, then the default. */
export function listLanguages({ language }: Message, fallback: string): string[] {
  const own = /^[a-z]{2,3}(?:[-_][a-z0-9]{2,3})?$/i.test(language)
    ? [language, language.split(/[-_]/)[0]!]
    : []
  return [...new Set([...own, fallback].map(name => name.toLowerCase()))]
}
