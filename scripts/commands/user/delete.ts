/** `coffer user delete`: deletes an account with all its data. */
import { print, type JsonOption } from '../../terminal/answer.js'
import { directoryOf } from '../../terminal/directory.js'
import { split, UsageError } from '../../terminal/operands.js'
import { asOperator } from '../../terminal/operator.js'
import { typed } from '../../terminal/passphrase.js'

export interface DeleteOptions extends JsonOption {
  readonly yes?: true
}

/** Deletes an account after confirmation. */
export async function deleteUser(args: readonly string[], { json, yes }: DeleteOptions): Promise<void> {
  const { flags, operands } = split(args, 'name')
  const [username = ''] = operands
  const { settings } = directoryOf(flags)
  // Checked before the confirmation is requested. The account's files may be damaged or missing.
  await asOperator(settings, operator => operator.call('users.delete', { username, dryRun: true }))
  if (
    !yes &&
    (await typed(`All data of ${username} will be permanently deleted. Type the username to confirm: `)) !==
      username
  )
    throw new UsageError('Nothing was deleted. Use --yes to skip the confirmation')
  await asOperator(settings, operator => operator.call('users.delete', { username }))
  print(json, { username, isDeleted: true }, `${username}: deleted`)
}
