/** `coffer user delete`: an account goes, with all that it holds. */
import { print, type JsonOption } from '../../answer.js'
import { directoryOf } from '../../directory.js'
import { split, UsageError } from '../../operands.js'
import { asOperator } from '../../operator.js'
import { typed } from '../../passphrase.js'

export interface DeleteOptions extends JsonOption {
  readonly yes?: true
}

/** Deletes an account with all that it holds, once that has been confirmed. */
export async function deleteUser(args: readonly string[], { json, yes }: DeleteOptions): Promise<void> {
  const { flags, operands } = split(args, 'name')
  const [username = ''] = operands
  const { settings } = directoryOf(flags)
  if (!yes && (await typed(`All data of ${username} will be gone. Type the name to go on: `)) !== username)
    throw new UsageError('Nothing has been deleted (--yes does so without asking).')
  await asOperator(settings, operator => operator.call('users.delete', { username }))
  print(json, { username, isDeleted: true }, `${username}: deleted`)
}
