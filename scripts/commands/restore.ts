/** `coffer restore`: brings back all accounts of a backup, or one. */
import { resolve } from 'node:path'
import { restoreAccount } from '../backup/restore-account.js'
import { restoreAll, verifyBackup, type RestoreReport } from '../backup/restore-backup.js'
import { Vault } from '../backup/vault.js'
import { directoryOf, presentDirectoryOf } from '../directory.js'
import { split } from '../operands.js'
import { askPassphrase } from '../passphrase.js'
import { withBar } from '../progress.js'

export interface RestoreOptions {
  readonly user?: string
  readonly verify?: true
  readonly skipDamaged?: true
  readonly json?: true
}

/** Prints what was restored; the exit code is 1 if anything was not as it should be. */
export async function restore(args: readonly string[], options: RestoreOptions): Promise<void> {
  const { json, skipDamaged = false, user, verify } = options
  const { flags, operands } = split(args, 'folder')
  const { layout, settings } = (user === undefined ? directoryOf : presentDirectoryOf)(flags)
  const vault = await Vault.open(resolve(operands[0]!), askPassphrase)
  try {
    if (user !== undefined) {
      const done = await restoreAccount(vault, settings, layout, user)
      return console.log(json ? JSON.stringify({ user, done }) : `${user}: ${done}`)
    }
    const report = await withBar(json, progress =>
      verify
        ? verifyBackup(vault, progress)
        : restoreAll(vault, layout, { progress, skipsDamaged: skipDamaged })
    )
    print(report, json, verify ? 'read, all as they were stored' : `restored into ${layout.root}`)
  } finally {
    vault.close()
  }
}

function print(report: RestoreReport, json: true | undefined, done: string): void {
  if (report.problems.length > 0) process.exitCode = 1
  if (json) return console.log(JSON.stringify(report, null, 2))
  for (const { detail, id, kind, user } of report.problems)
    console.error([kind, user, id, detail].filter(part => part !== undefined).join('\t'))
  const { accounts, problems } = report
  console.log(
    problems.length === 0
      ? `${accounts} accounts ${done}`
      : `${accounts} accounts, ${problems.length} problems`
  )
}
