/** `coffer export` and `coffer import`: move an account in a file. */
import { resolve } from 'node:path'
import { toConfig } from '../../core/settings/config.js'
import { version } from '../../core/version.js'
import { formatCount } from '../terminal/output.js'
import { loadDirectory, loadExistingDirectory } from '../terminal/directory.js'
import { splitArguments } from '../terminal/operands.js'
import { openAttachments } from '../maintenance/bucket.js'
import { findAccount } from '../maintenance/place-account.js'
import { exportAccount } from '../transfer/export-account.js'
import { importAccount } from '../transfer/import-account.js'
import { TransferError } from '../transfer/transfer-error.js'

export interface ExportOptions {
  readonly withoutSecrets?: true
  readonly json?: true
}

/**
 * Exports an account to a new ZIP file. The exit code is 1 if attachments are missing or damaged: the archive
 * cannot be imported. Throws `TransferError` if there is no active account of that name or the file
 * exists.
 */
export async function exportUser(args: readonly string[], options: ExportOptions): Promise<void> {
  const { flags, operands } = splitArguments(args, 'user', 'file')
  const [username = '', name = ''] = operands
  const { layout, settings } = loadExistingDirectory(flags)
  const account = findAccount(layout, username)
  if (account?.state !== 'active') throw new TransferError(`No account ${username}`)
  const attachments = await openAttachments(layout, settings)
  const file = resolve(name)
  const includesSecrets = options.withoutSecrets !== true
  const damaged = await exportAccount(layout, account, file, { includesSecrets, attachments })
  if (damaged.length > 0) {
    process.exitCode = 1
    console.error(
      `${formatCount(damaged.length, 'attachment is', 'attachments are')} missing or damaged, such as ${damaged[0]}. The archive can't be imported. If they were deleted in the meantime, export again`
    )
  }
  console.log(options.json ? JSON.stringify({ username, file }) : `${username}: exported to ${file}`)
}

export interface ImportOptions {
  readonly as?: string
  readonly identities?: true
  readonly json?: true
}

/**
 * Imports an account, whether or not a service is running, and prints what the user has to do next. The
 * account has no open sessions. Throws the errors of {@link importAccount}.
 */
export async function importUser(
  args: readonly string[],
  { as, identities, json }: ImportOptions
): Promise<void> {
  const { flags, operands } = splitArguments(args, 'file')
  const { layout, settings } = loadDirectory(flags)
  const config = toConfig(settings, version)
  const done = await importAccount(
    layout,
    resolve(operands[0]!),
    { as, keepsIdentities: identities === true },
    config
  )
  if (json) return console.log(JSON.stringify(done))
  console.log(`${done.username}: imported. All sessions were signed out`)
  if (!done.hasSecrets)
    console.log(
      'The account has no password yet, and its accesses have new tokens. Run "coffer reset-link" to create a link that sets a password'
    )
  if (done.isPaused)
    console.log(
      'The account sends nothing to other accounts and to channels until its user calls account.resumeDeliveries'
    )
  if (done.identitiesLeftOut > 0)
    console.log(
      `${formatCount(done.identitiesLeftOut, 'linked sign-in provider was', 'linked sign-in providers were')} not imported. Use --identities to import them if you trust the archive`
    )
}
