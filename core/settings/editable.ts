/**
 * Settings that operators may change on their page. Settings that could lock them out, name code or secrets of other
 * services, or belong to the machine (ports, paths, addresses, the cluster) are excluded.
 */
import type { Settings } from './settings.js'

/** The setting that says who may register: it holds tokens, so pages choose a {@link RegistrationMode} in its place. */
export const registrationKey = 'registration.invitationTokens'

/** Settings of the mail server: they change together with its password, which must not be sent to another server. */
const mailServerKeys = [
  'services.email.smtp.host',
  'services.email.smtp.port',
  'services.email.smtp.encryption',
  'services.email.smtp.user'
]
export const mailPasswordKey = 'services.email.smtp.password'

/** The keys of these settings. */
export const editableKeys: readonly string[] = [
  'service.name',
  'service.home',
  'service.support',
  'service.terms',
  registrationKey,
  'registration.emailLookup',
  'registration.maxPerHour',
  'userAccount.deletionGraceDays',
  'auth.passwordComplexityMinLength',
  'auth.sessionMaxAge',
  'quota.bytes',
  'uploads.maxFileBytes',
  ...mailServerKeys,
  mailPasswordKey,
  'services.email.from',
  'services.email.notices',
  'alarms.mailTo',
  'alarms.freePercent',
  'backup.to',
  'backup.schedule',
  'backup.keep.days',
  'backup.keep.weeks',
  'backup.keep.months',
  'backup.verify',
  'backup.mailTo',
  'log.level',
  'log.requests'
]

/** Returns whether a setting says to which mail server the password is sent, and how. */
export function isMailServerSetting(key: string): boolean {
  return mailServerKeys.includes(key)
}

/** Who may register. */
export const registrationModes = ['open', 'invited', 'closed'] as const
export type RegistrationMode = (typeof registrationModes)[number]

/** Returns the mode that the tokens stand for. */
export function toRegistrationMode({ invitationTokens }: Settings['registration']): RegistrationMode {
  if (invitationTokens === null) return 'open'
  return invitationTokens.length === 0 ? 'closed' : 'invited'
}
