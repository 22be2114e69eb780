/** `coffer backup`: brings a backup up to date, next to a running service or without one. */
import { makeBackup } from '../backup/make-backup.js'
import { Vault } from '../backup/vault.js'
import { presentDirectoryOf } from '../terminal/directory.js'
import { split } from '../terminal/operands.js'
import { secretOf, type SecretOptions } from '../terminal/passphrase.js'
import { withBar } from '../terminal/progress.js'

export interface BackupOptions extends SecretOptions {
  readonly encrypt?: true
  readonly json?: true
}

/** Prints what was added; the exit code is 1 if an account could not be copied. */
export async function backup(args: readonly string[], options: BackupOptions): Promise<void> {
  const { encrypt, json } = options
  const { flags, operands } = split(args, 'folder')
  const { layout } = presentDirectoryOf(flags)
  const vault = await Vault.prepare(operands[0]!, encrypt === true, secretOf(options))
  try {
    const report = await withBar(json, progress => makeBackup(layout, vault, progress))
    if (report.problems.length > 0) process.exitCode = 1
    if (json) return console.log(JSON.stringify({ ...report, isEncrypted: vault.isEncrypted }, null, 2))
    for (const { detail, user } of report.problems) console.error([user, detail].join('\t'))
    const { accounts, attachments, bytes, copied } = report
    console.log(
      `${accounts} accounts, of which ${copied} had changed; ${attachments} attachments and ${(bytes / 1024 / 1024).toFixed(1)} MiB added, all of it read back; ${vault.isEncrypted ? 'encrypted' : 'not encrypted'}`
    )
  } finally {
    vault.close()
  }
}
