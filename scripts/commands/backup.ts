/** `coffer backup`: brings a backup up to date, next to a running service or without one. */
import { resolve } from 'node:path'
import { makeBackup } from '../backup/make-backup.js'
import { Vault } from '../backup/vault.js'
import { presentDirectoryOf } from '../directory.js'
import { split } from '../operands.js'
import { askPassphrase } from '../passphrase.js'
import { withBar } from '../progress.js'

export interface BackupOptions {
  readonly encrypt?: true
  readonly json?: true
}

/** Prints what was added; the exit code is 1 if an account could not be copied. */
export async function backup(args: readonly string[], { encrypt, json }: BackupOptions): Promise<void> {
  const { flags, operands } = split(args, 'folder')
  const { layout } = presentDirectoryOf(flags)
  const vault = await Vault.prepare(resolve(operands[0]!), encrypt === true, askPassphrase)
  try {
    const report = await withBar(json, progress => makeBackup(layout, vault, progress))
    if (report.problems.length > 0) process.exitCode = 1
    if (json) return console.log(JSON.stringify(report, null, 2))
    for (const { detail, user } of report.problems) console.error([user, detail].join('\t'))
    const { accounts, attachments, bytes, copied } = report
    console.log(
      `${accounts} accounts, of which ${copied} had changed; ${attachments} attachments and ${(bytes / 1024 / 1024).toFixed(1)} MiB added, all of it read back`
    )
  } finally {
    vault.close()
  }
}
