/** Checks the copy of an account's file before it is added to a backup. */
import { UserInspection } from '../../storage/inspection/user-inspection.js'
import type { Layout } from '../../storage/files/layout.js'
import { findBrokenRecords } from '../maintenance/check-audit.js'
import { BackupError } from './backup-error.js'

/**
 * Returns the attachments listed in a copy below `draft`, with sizes in bytes. Throws {@link BackupError} if
 * it is damaged. A copy of an earlier version counts as intact.
 */
export function checkAccountCopy(draft: Layout, account: string): { id: string; size: number }[] {
  const inspection = new UserInspection(draft, account)
  try {
    const [problem] = inspection.findProblems().filter(text => !text.startsWith('is of an earlier version'))
    if (problem !== undefined) throw new BackupError(`The file is damaged (${problem})`)
    for (const { detail, id: record = '' } of findBrokenRecords(inspection, () => undefined))
      throw new BackupError(`The audit log is damaged: ${record} ${detail}`)
    return inspection.attachments()
  } finally {
    inspection.close()
  }
}
