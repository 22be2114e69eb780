/** `coffer export` and `coffer import`: an account as a file. */
import { resolve } from 'node:path'
import { toConfig } from '../../core/settings/config.js'
import { version } from '../../core/version.js'
import { directoryOf, presentDirectoryOf } from '../terminal/directory.js'
import { split } from '../terminal/operands.js'
import { accountIn } from '../maintenance/place-account.js'
import { exportAccount } from '../transfer/export-account.js'
import { importAccount } from '../transfer/import-account.js'
import { TransferError } from '../transfer/transfer-error.js'

export interface ExportOptions {
  readonly withoutSecrets?: true
  readonly json?: true
}

/** Writes a ZIP. */
export async function exportUser(args: readonly string[], options: ExportOptions): Promise<void> {
  const { flags, operands } = split(args, 'user', 'file')
  const [username = '', name = ''] = operands
  const { layout } = presentDirectoryOf(flags)
  const account = accountIn(layout, username)
  if (account?.state !== 'active') throw new TransferError(`There is no account ${username}`)
  const file = resolve(name)
  await exportAccount(layout, account, file, options.withoutSecrets !== true)
  console.log(options.json ? JSON.stringify({ username, file }) : `${username}: written to ${file}`)
}

export interface ImportOptions {
  readonly as?: string
  readonly json?: true
}

/** Brings an account in, next to a running service or without one. */
export async function importUser(args: readonly string[], { as, json }: ImportOptions): Promise<void> {
  const { flags, operands } = split(args, 'file')
  const { layout, settings } = directoryOf(flags)
  const config = toConfig(settings, version)
  const done = await importAccount(layout, resolve(operands[0]!), as, config)
  if (json) return console.log(JSON.stringify(done))
  console.log(`${done.username}: imported; whoever was signed in signs in again`)
  if (!done.hasSecrets)
    console.log('It has no password yet, and its accesses have new tokens: have the password reset by mail')
}
