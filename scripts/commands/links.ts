/** `coffer reset-link`, `setup-link` and `invite`: each creates links for the operator to open or to pass on. */
import { printResult, type JsonOption } from '../terminal/output.js'
import { loadDirectory } from '../terminal/directory.js'
import { splitArguments, UsageError } from '../terminal/operands.js'
import { withOperator } from '../terminal/operator.js'
import { readSettings } from '../../core/settings/load.js'
import { isSetupOpen } from '../../server/setup/setup-service.js'
import { createSetupSecret } from '../../storage/files/private-files.js'
import { createSetupLink } from '../terminal/greeting.js'
import { toConfig } from '../../core/settings/config.js'
import type { Settings } from '../../core/settings/settings.js'
import { version } from '../../core/version.js'

/**
 * Prints a single-use link for the operator to pass on. Earlier links of the user stop working. Throws
 * `OperatorError` for unknown users, and if signing in with passwords is off.
 */
export async function resetLink(args: readonly string[], { json }: JsonOption): Promise<void> {
  const { flags, operands } = splitArguments(args, 'user')
  const [username = ''] = operands
  const { settings } = loadDirectory(flags)
  const answer = await withOperator(settings, operator =>
    operator.call('system.createResetLink', { username })
  )
  const { expires, url } = answer['resetLink'] as { url: string; expires: number }
  printResult(json, { username, url, expires }, url)
  if (!json)
    console.error(`Works once, until ${new Date(expires * 1000).toISOString()}. Earlier links no longer work`)
}

/**
 * Prints a new link, which replaces the previous one. The service may be running. Throws {@link UsageError}
 * if the service has been set up.
 */
export function setupLink(args: readonly string[], { json }: JsonOption): void {
  const { flags } = splitArguments(args)
  const { layout, settings } = loadDirectory(flags)
  if (!isSetupOpen(readSettings({ argv: flags, env: process.env, cwd: process.cwd() })))
    throw new UsageError(
      `The service is already set up. Operators: ${settings.operators.join(', ') || 'given by a setting'}`
    )
  const url = createSetupLink(settings, createSetupSecret(layout))
  printResult(json, { url }, url)
  if (!json) console.error('Works once. Earlier links no longer work')
}

export interface InviteOptions extends JsonOption {
  readonly count?: string
  readonly message?: string
}

/**
 * Creates invitations, each valid for one registration, and prints a link for each. Throws {@link UsageError}
 * if registration is closed; warns if it is open to all.
 */
export async function invite(
  args: readonly string[],
  { count = '1', json, message }: InviteOptions
): Promise<void> {
  const { settings } = loadDirectory(splitArguments(args).flags)
  if (!/^[1-9]\d{0,2}$/.test(count)) throw new UsageError('--count must be from 1 to 999')
  const registration = getRegistration(settings)
  if (registration === 'closed')
    throw new UsageError(
      'Registration is closed, so invitations have no effect: registration.invitationTokens is []. Add a token to the list (or set it to null to let anyone register), and restart the service'
    )
  const params = { count: Number(count), ...(message !== undefined && { message }) }
  const { data } = await withOperator(settings, operator => operator.call('admin.createInvitations', params))
  const tokens = (data as { id: string }[]).map(({ id }) => id)
  const page = `${toConfig(settings, version).publicUrl}/app/?register#invitation=`
  printResult(json, { tokens, registration }, ...tokens.map(token => `${token}\t${page}${token}`))
  if (registration === 'open')
    console.error('Anyone can register, even without an invitation: registration.invitationTokens is null')
}

/** Returns who can register according to the settings. */
function getRegistration({
  registration: { invitationTokens }
}: Pick<Settings, 'registration'>): 'open' | 'closed' | 'by invitation' {
  if (invitationTokens === null) return 'open'
  return invitationTokens.length === 0 ? 'closed' : 'by invitation'
}
