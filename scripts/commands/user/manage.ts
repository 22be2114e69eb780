/**
 * `coffer user delete`, `move`, `password`, `unlock`, `mfa-off`, `passkeys-off` and `keep`: each changes an account by
 * one call of the admin API.
 */
import { printResult, type JsonOption } from '../../terminal/output.js'
import { loadDirectory } from '../../terminal/directory.js'
import { promptForPasswordHash } from '../../terminal/prompt-for-password.js'
import { splitArguments, UsageError } from '../../terminal/operands.js'
import { withOperator } from '../../terminal/operator.js'
import { promptHidden } from '../../terminal/passphrase.js'

export interface DeleteOptions extends JsonOption {
  readonly yes?: true
}

export interface MoveOptions extends JsonOption {
  readonly undo?: true
}

/**
 * Deletes an account with all its data, after confirmation. Throws {@link UsageError} if it is not confirmed.
 * Throws `OperatorError` for an unknown account, before asking.
 */
export async function deleteUser(args: readonly string[], { json, yes }: DeleteOptions): Promise<void> {
  const { flags, operands } = splitArguments(args, 'name')
  const [username = ''] = operands
  const { settings } = loadDirectory(flags)
  // The account is looked up before the confirmation is requested. Its files may be damaged or missing.
  await withOperator(settings, operator => operator.call('users.delete', { username, dryRun: true }))
  if (
    !yes &&
    (await promptHidden(
      `All data of ${username} will be permanently deleted. Type the username to confirm: `
    )) !== username
  )
    throw new UsageError('Nothing was deleted. Use --yes to skip the confirmation')
  await withOperator(settings, operator => operator.call('users.delete', { username }))
  printResult(json, { username, isDeleted: true }, `${username}: deleted`)
}

/**
 * Marks an account as moved to another server, which closes its sockets, or undoes that. Throws `OperatorError`
 * for an unknown account, a URL that is not valid, or one that has not moved.
 */
export async function moveUser(args: readonly string[], { json, undo }: MoveOptions): Promise<void> {
  const { flags, operands } = undo ? splitArguments(args, 'name') : splitArguments(args, 'name', 'url')
  const [username = '', url = ''] = operands
  const { settings } = loadDirectory(flags)
  await withOperator(settings, operator =>
    undo
      ? operator.call('system.bringBackUser', { username })
      : operator.call('system.relocateUser', { username, url })
  )
  printResult(
    json,
    { username, relocatedTo: undo ? null : url },
    undo ? `${username}: is no longer marked as moved` : `${username}: marked as moved to ${url}`
  )
}

/**
 * Sets a password, which is typed, or read from the first line of standard input. Ends all sessions of the
 * user. Throws {@link UsageError} if the password breaks a rule.
 */
export async function setUserPassword(args: readonly string[], { json }: JsonOption): Promise<void> {
  const { flags, operands } = splitArguments(args, 'name')
  const [username = ''] = operands
  const { settings } = loadDirectory(flags)
  // Checks that the account exists before anything is typed.
  await withOperator(settings, operator => operator.call('system.getUserInfo', { username }))
  const passwordHash = await promptForPasswordHash(settings, username)
  await withOperator(settings, operator => operator.call('system.setPassword', { username, passwordHash }))
  printResult(json, { username }, `${username}: password set, all sessions signed out`)
}

/** Ends the waiting time after wrong passwords or codes. Passwords and codes stay as they are. */
export async function unlockUser(args: readonly string[], options: JsonOption): Promise<void> {
  await callForUser('system.unlockUser', args, options, 'sign-in unlocked')
}

/**
 * Removes the second factor of a user who can no longer use it, and notifies the user. Sessions stay open. Does
 * nothing if there is none.
 */
export async function turnOffMfa(args: readonly string[], options: JsonOption): Promise<void> {
  await callForUser('system.deactivateMfa', args, options, 'two-factor authentication turned off')
}

/**
 * Removes all passkeys of a user, for example after their phone was stolen, and notifies the user. Sessions
 * stay open.
 */
export async function turnOffPasskeys(args: readonly string[], options: JsonOption): Promise<void> {
  await callForUser('system.deletePasskeys', args, options, 'all passkeys removed')
}

/**
 * Cancels the scheduled deletion of an account, and resumes its imports. Throws `OperatorError` if none is
 * scheduled.
 */
export async function keepUser(args: readonly string[], options: JsonOption): Promise<void> {
  await callForUser('system.keepUser', args, options, 'deletion cancelled')
}

async function callForUser(
  method: string,
  args: readonly string[],
  { json }: JsonOption,
  done: string
): Promise<void> {
  const { flags, operands } = splitArguments(args, 'name')
  const [username = ''] = operands
  const { settings } = loadDirectory(flags)
  await withOperator(settings, operator => operator.call(method, { username }))
  printResult(json, { username }, `${username}: ${done}`)
}
