/** `coffer user list`: lists accounts, whether or not a service is running. */
import { existsSync } from 'node:fs'
import { PlatformInspection } from '../../../storage/inspection.js'
import { printResult, type JsonOption } from '../../terminal/output.js'
import { loadExistingDirectory } from '../../terminal/directory.js'
import { splitArguments } from '../../terminal/operands.js'
import type { Account } from '../../../storage/platform/account.js'

/**
 * Prints the active accounts by username, with their times of creation, new addresses and scheduled
 * deletions.
 */
export function listUsers(args: readonly string[], { json }: JsonOption): void {
  const { layout } = loadExistingDirectory(splitArguments(args).flags)
  if (!existsSync(layout.platformFile)) return printResult(json, [])
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
