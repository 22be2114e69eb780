/** `coffer reset-link`: creates a link with which a user sets a new password. */
import { print, type JsonOption } from '../terminal/answer.js'
import { directoryOf } from '../terminal/directory.js'
import { split } from '../terminal/operands.js'
import { asOperator } from '../terminal/operator.js'

/** Prints a single-use link for the operator to pass on. */
export async function resetLink(args: readonly string[], { json }: JsonOption): Promise<void> {
  const { flags, operands } = split(args, 'user')
  const [username = ''] = operands
  const { settings } = directoryOf(flags)
  const answer = await asOperator(settings, operator => operator.call('system.createResetLink', { username }))
  const { expires, url } = answer['resetLink'] as { url: string; expires: number }
  print(json, { username, url, expires }, url)
  if (!json)
    console.error(`Works once, until ${new Date(expires * 1000).toISOString()}. Earlier links no longer work`)
}
