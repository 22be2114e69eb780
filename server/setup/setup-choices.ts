/** Converts the choices made during set-up into settings, and back. */
import { randomBytes } from 'node:crypto'
import {
  editableKeys,
  registrationKey,
  toRegistrationMode,
  type RegistrationMode
} from '../../core/settings/editable.js'
import type { ReadSettings } from '../../core/settings/load.js'
import type { Settings } from '../../core/settings/settings.js'
import { refuseParams } from '../../core/validation/params.js'
import type { SetupChoices } from '../../schemas/setup.js'

/** The setting of each choice. */
const settingKeys: Readonly<Record<keyof SetupChoices, string>> = {
  serviceName: 'service.name',
  publicUrl: 'publicUrl',
  registration: registrationKey,
  accessUpdates: 'accesses.updates',
  mailHost: 'services.email.smtp.host',
  mailPort: 'services.email.smtp.port',
  mailEncryption: 'services.email.smtp.encryption',
  mailUser: 'services.email.smtp.user',
  mailPassword: 'services.email.smtp.password',
  mailFrom: 'services.email.from'
}
/**
 * Settings made on pages that are restored from a backup, even though other people could have written to the backup.
 * `backup.to` is not among these settings, since its value decides where all data is sent.
 */
export const restorableKeys: ReadonlySet<string> = new Set([
  ...Object.values(settingKeys),
  ...editableKeys.filter(key => key !== 'backup.to'),
  'operators',
  'adminKey'
])
const entries = Object.entries(settingKeys) as [keyof SetupChoices, string][]

/**
 * Returns the chosen settings, except settings that another source sets. If no mode of registration is
 * chosen, an open registration becomes one by invitation.
 */
export function toSettings(choices: SetupChoices, { given, settings }: ReadSettings): Map<string, unknown> {
  const values = new Map<string, unknown>()
  const { invitationTokens } = settings.registration
  // If no mode is chosen, registration must not be open. The page has the same default.
  const registration = invitationTokens === null ? 'invited' : undefined
  for (const [name, key] of entries) {
    const choice = { registration, ...choices }[name]
    if (choice !== undefined && !given.has(key))
      values.set(key, name === 'registration' ? createInvitationTokens(choice) : choice)
  }
  return values
}

/** Throws `invalid-parameters-format`, with all problems at once, for invalid choices. */
export function assertSettings({ problems }: ReadSettings): void {
  if (problems.length === 0) return
  refuseParams(
    problems.map(message => {
      const param = entries.find(([, key]) => message.startsWith(`${key} `))?.[0] ?? 'serviceName'
      return { code: `${param}-invalid`, message, path: `#/${param}`, param }
    })
  )
}

/** Returns the current settings without secrets, and the source of each that cannot be chosen here. */
export function getCurrentChoices(
  { accesses, publicUrl, registration, service, services }: Settings,
  { given }: ReadSettings
): { choices: SetupChoices; setBy: Partial<Record<keyof SetupChoices, string>> } {
  const { from, smtp } = services.email
  return {
    choices: {
      serviceName: service.name,
      publicUrl,
      registration: getRegistrationMode(registration, given.has(settingKeys.registration)),
      accessUpdates: accesses.updates,
      mailHost: smtp.host,
      mailPort: smtp.port,
      mailEncryption: smtp.encryption,
      mailUser: smtp.user,
      mailFrom: from
    },
    setBy: Object.fromEntries(
      entries.flatMap(([name, key]) => (given.has(key) ? [[name, given.get(key)]] : []))
    )
  }
}

/** Returns the registration mode; by invitation during set-up, unless another mode is set. */
function getRegistrationMode(registration: Settings['registration'], isGiven: boolean): RegistrationMode {
  return registration.invitationTokens === null && !isGiven ? 'invited' : toRegistrationMode(registration)
}

/**
 * Returns the invitation tokens for a registration mode. If at least one token is listed, tokens made by
 * `coffer invite` are valid, too. Returns `null` if registration is open, none if it is closed, and otherwise
 * a random token.
 */
export function createInvitationTokens(choice: unknown): string[] | null {
  if (choice === 'open') return null
  return choice === 'closed' ? [] : [randomBytes(12).toString('base64url')]
}
