/** `coffer user`: lists, creates and changes accounts. */
import { existsSync } from 'node:fs'
import { Value } from 'typebox/value'
import { printResult, type JsonOption } from '../terminal/output.js'
import { loadDirectory, loadExistingDirectory } from '../terminal/directory.js'
import { promptForPasswordHash } from '../terminal/prompt-for-password.js'
import { splitArguments, UsageError } from '../terminal/operands.js'
import { withOperator } from '../terminal/operator.js'
import { promptHidden } from '../terminal/passphrase.js'
import { PlatformInspection } from '../../storage/inspection/platform-inspection.js'
import type { Account } from '../../storage/platform/account.js'
import { openSession } from '../terminal/user-session.js'
import { Email, Language, Username } from '../../schemas/account.js'

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

/**
 * Prints the active accounts by username, with their times of creation, new addresses and scheduled
 * deletions.
 */
export function listUsers(args: readonly string[], { json }: JsonOption): void {
  const { layout } = loadExistingDirectory(splitArguments(args).flags)
  if (!existsSync(layout.platformFile))
    throw new UsageError(
      `No data found: ${layout.platformFile} does not exist. Set the folder with --dataDir`
    )
  const inspection = new PlatformInspection(layout)
  let accounts: Account[]
  try {
    accounts = [...inspection.accounts()].filter(({ state }) => state === 'active')
  } finally {
    inspection.close()
  }
  const users = accounts.map(({ created, deletion, id, relocatedTo, username }) => ({
    username,
    id,
    created,
    relocatedTo,
    // Files of earlier versions have no such column.
    deletion: deletion ?? null
  }))
  const lines = users.map(({ created, deletion, relocatedTo, username }) =>
    [
      username,
      new Date(created * 1000).toISOString(),
      ...(relocatedTo === null ? [] : [`moved to ${relocatedTo}`]),
      ...(deletion === null ? [] : [`will be deleted on ${new Date(deletion * 1000).toISOString()}`])
    ].join('\t')
  )
  printResult(json, users, ...lines)
}

export interface TokenOptions extends JsonOption {
  readonly app?: string
}

/**
 * Prints a personal token of a user for an app, whether or not a service is running. Uses the open session of
 * the app if there is one.
 */
export async function userToken(
  args: readonly string[],
  { app = 'coffer-command', json }: TokenOptions
): Promise<void> {
  const { flags, operands } = splitArguments(args, 'name')
  const [username = ''] = operands
  const { settings } = loadDirectory(flags)
  const session = await withOperator(settings, operator => openSession(operator, username, app))
  printResult(json, session, session.token)
}

export interface CreateOptions extends JsonOption {
  readonly email?: string
  readonly language?: string
}

/**
 * Creates an account. Its password is typed, or read from the first line of standard input. Throws {@link
 * UsageError} for invalid fields or passwords.
 */
export async function createUser(args: readonly string[], options: CreateOptions): Promise<void> {
  const { flags, operands } = splitArguments(args, 'name')
  const [username = ''] = operands
  const { email, json, language = 'en' } = options
  assertFields(username, email, language)
  const { settings } = loadDirectory(flags)
  const passwordHash = await promptForPasswordHash(settings, username)
  const { id } = await withOperator(settings, operator =>
    operator.call('system.createUser', { username, passwordHash, email, language })
  )
  printResult(json, { username, id }, `${username}: created`)
}

/** Throws `UsageError` for a user name, email address or language that is not valid. */
function assertFields(
  username: string,
  email: string | undefined,
  language: string
): asserts email is string {
  const isName: boolean = Value.Check(Username, username)
  if (!isName)
    throw new UsageError(
      `"${username}" is not a valid username. Use 5 to 60 lowercase letters, digits or hyphens, without a hyphen at the start or end`
    )
  if (email === undefined) throw new UsageError('An account needs an email address. Pass --email')
  if (!Value.Check(Email, email) || !email.includes('@'))
    throw new UsageError(`--email: "${email}" is not a valid email address`)
  const isLanguage: boolean = Value.Check(Language, language)
  if (!isLanguage)
    throw new UsageError(`--language: "${language}" must be a code of up to 5 characters, such as en`)
}
