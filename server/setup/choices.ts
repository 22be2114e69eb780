/** What is asked for when the service is set up, as settings. */
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
const keys: Readonly<Record<keyof SetupChoices, string>> = {
  serviceName: 'service.name',
  publicUrl: 'publicUrl',
  registration: registrationKey,
  mailHost: 'services.email.smtp.host',
  mailPort: 'services.email.smtp.port',
  mailEncryption: 'services.email.smtp.encryption',
  mailUser: 'services.email.smtp.user',
  mailPassword: 'services.email.smtp.password',
  mailFrom: 'services.email.from'
}
/**
 * Everything that the pages let somebody choose and that is believed in a backup that others could write to: not where backups
 * go, since that would send everything there.
 */
export const chosenKeys: ReadonlySet<string> = new Set([
  ...Object.values(keys),
  ...editableKeys.filter(key => key !== 'backup.to'),
  'operators',
  'adminKey'
])
const entries = Object.entries(keys) as [keyof SetupChoices, string][]

/** Returns the settings that were chosen, but for those that are given elsewhere. */
export function settingsFor(choices: SetupChoices, { given, settings }: ReadSettings): Map<string, unknown> {
  const values = new Map<string, unknown>()
  const { invitationTokens } = settings.registration
  // What is left out must not open the service to everybody: the page suggests the same.
  const registration = invitationTokens === null ? 'invited' : undefined
  for (const [name, key] of entries) {
    const choice = { registration, ...choices }[name]
    if (choice !== undefined && !given.has(key))
      values.set(key, name === 'registration' ? tokensFor(choice) : choice)
  }
  return values
}

/** Throws `invalid-parameters-format`, with all of them at once, if choices cannot be settings. */
export function assertSettings({ problems }: ReadSettings): void {
  if (problems.length === 0) return
  refuseParams(
    problems.map(message => {
      const param = entries.find(([, key]) => message.startsWith(`${key} `))?.[0] ?? 'serviceName'
      return { code: `${param}-invalid`, message, path: `#/${param}`, param }
    })
  )
}

/** What is in force now, without secrets, and where it was set if it cannot be chosen here. */
export function presentChoices(
  { publicUrl, registration, service, services }: Settings,
  { given }: ReadSettings
): { choices: SetupChoices; setBy: Partial<Record<keyof SetupChoices, string>> } {
  const { from, smtp } = services.email
  return {
    choices: {
      serviceName: service.name,
      publicUrl,
      registration: registrationOf(registration, given.has(keys.registration)),
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

/** A service that is being set up is for those who are invited, unless something else is set. */
function registrationOf(registration: Settings['registration'], isGiven: boolean): RegistrationMode {
  return registration.invitationTokens === null && !isGiven ? 'invited' : toRegistrationMode(registration)
}

/** With at least one token listed, those of `coffer invite` are valid too. */
export function tokensFor(choice: unknown): string[] | null {
  if (choice === 'open') return null
  return choice === 'closed' ? [] : [randomBytes(12).toString('base64url')]
}
