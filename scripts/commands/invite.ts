/** `coffer invite`: creates invitations for a service with restricted registration. */
import { toConfig } from '../../core/settings/config.js'
import type { Settings } from '../../core/settings/settings.js'
import { version } from '../../core/version.js'
import { printResult, type JsonOption } from '../terminal/output.js'
import { loadDirectory } from '../terminal/directory.js'
import { splitArguments, UsageError } from '../terminal/operands.js'
import { withOperator } from '../terminal/operator.js'

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
