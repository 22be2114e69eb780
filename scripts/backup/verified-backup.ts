/** Makes a backup, verifies it by restoring it to a temporary directory, and copies damaged accounts again. */
import type { Layout } from '../../storage/files/layout.js'
import type { Problem } from '../maintenance/check-account.js'
import type { Progress } from '../terminal/progress.js'
import type { VettingOptions } from '../vetting/examiner.js'
import type { BackupProblem } from './backup-error.js'
import { makeBackup, type BackupReport } from './make-backup.js'
import { verifyBackup } from './restore-backup.js'
import type { RetentionRule } from './retention.js'
import type { BackupSource } from './sources/source.js'
import type { Vault } from './vault.js'

const copiedAgain = {
  detail: 'its backup was damaged and has been copied again. The storage of the backup may be failing',
  isMended: true
} as const

export interface VerifiedOptions {
  readonly keep: RetentionRule | undefined
  readonly source?: BackupSource | undefined
  readonly vetting: VettingOptions
  /** Runs `work` with a progress bar. */
  readonly withProgress: <T>(work: (progress: Progress | undefined) => Promise<T>) => Promise<T>
}

interface VerifiedReport extends BackupReport {
  /** Number of accounts that were restored without problems. */
  readonly verified: number
}

/**
 * Updates a backup and verifies it. Copies damaged accounts again, and verifies these once more. Reports what
 * could not be copied or restored, and what was copied again.
 */
export async function makeVerifiedBackup(
  layout: Layout,
  vault: Vault,
  { keep, source, vetting, withProgress }: VerifiedOptions
): Promise<VerifiedReport> {
  const report = await withProgress(progress => makeBackup(layout, vault, { progress, keep, source }))
  const found = await withProgress(progress => verifyBackup(vault, { vetting, progress }))
  const damaged = getUsers(found.problems)
  const hasSettings = hasSettingsProblem(found.problems)
  if (damaged.size === 0 && !hasSettings)
    return { ...withProblems(report, found.problems), verified: found.accounts }
  const again = await withProgress(progress => makeBackup(layout, vault, { progress, keep, source, damaged }))
  const left = await withProgress(progress => verifyBackup(vault, { vetting, progress, only: damaged }))
  const stillDamaged = getUsers([...left.problems, ...again.problems])
  const mended = [...damaged].filter(user => !stillDamaged.has(user))
  const problems: BackupProblem[] = [
    ...again.problems,
    ...mended.map(user => ({ user, ...copiedAgain })),
    ...(hasSettings && !hasSettingsProblem(left.problems)
      ? [{ ...copiedAgain, detail: `settings.yaml: ${copiedAgain.detail}` }]
      : [])
  ]
  const total = {
    accounts: again.accounts,
    copied: report.copied + again.copied,
    attachments: report.attachments + again.attachments,
    bytes: report.bytes + again.bytes,
    problems
  }
  const verified = found.accounts - damaged.size + mended.length
  return { ...withProblems(total, left.problems), verified }
}

function hasSettingsProblem(problems: readonly Problem[]): boolean {
  return problems.some(({ kind }) => kind === 'settings')
}

function getUsers(problems: readonly { readonly user?: string }[]): Set<string> {
  return new Set(problems.flatMap(({ user }) => user ?? []))
}

/** Returns a report with the problems found by restoring. */
function withProblems(report: BackupReport, found: readonly Problem[]): BackupReport {
  const problems = found.map(({ detail, id, kind, user }) => {
    const what = [`can't be restored: ${kind}`, id, detail].filter(part => part !== undefined).join(' ')
    return { ...(user !== undefined && { user }), detail: what }
  })
  return { ...report, problems: [...report.problems, ...problems] }
}
