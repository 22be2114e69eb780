/** `coffer restore`: brings back all accounts of a backup, or one. */
import { restoreAccount } from '../backup/restore-account.js'
import { restoreAll, verifyBackup, type RestoreReport } from '../backup/restore-backup.js'
import { Vault } from '../backup/vault.js'
import { directoryOf, presentDirectoryOf } from '../terminal/directory.js'
import { split } from '../terminal/operands.js'
import { secretOf, type SecretOptions } from '../terminal/passphrase.js'
import { printable } from '../terminal/printable.js'
import { withBar } from '../terminal/progress.js'
import { leastDepth } from '../vetting/examiner.js'

export interface RestoreOptions extends SecretOptions {
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
  const vetting = {
    // They may have been nested when the settings allowed it.
    streamDepth: Math.max(leastDepth, settings.limits.streamDepth),
    now: Date.now() / 1000
  }
  const vault = await Vault.open(operands[0]!, secretOf(options))
  try {
    if (!vault.isEncrypted) console.error('The backup is not encrypted: nothing tells who made it')
    if (user !== undefined) {
      const { done, made } = await restoreAccount(vault, settings, layout, user, { vetting })
      return console.log(
        json ? JSON.stringify({ user, done, made }) : `${user}: ${done}, as of ${dayOf(made)}`
      )
    }
    const report = await withBar(json, progress =>
      verify
        ? verifyBackup(vault, { progress, vetting })
        : restoreAll(vault, layout, { progress, vetting, skipsDamaged: skipDamaged })
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
    console.error(printable([kind, user, id, detail].filter(part => part !== undefined).join('\t')))
  const { accounts, made, problems } = report
  console.log(
    problems.length === 0
      ? `${accounts} accounts ${done}, from a backup of ${dayOf(made)}`
      : `${accounts} accounts, ${problems.length} problems, in a backup of ${dayOf(made)}`
  )
}

function dayOf(seconds: number): string {
  return new Date(seconds * 1000).toISOString()
}
