/** Validates the file of an account that may be foreign: it must contain only what the service could have written. */
import type { Layout } from '../../storage/files/layout.js'
import { ForeignRows } from '../../storage/validation/foreign-file.js'
import type { Problem } from '../maintenance/check-account.js'
import { examineAccesses } from './accesses.js'
import { examineAccountValues } from './account-values.js'
import { examineChannels } from './channels.js'
import { examineForms, examineReminders, examineRules } from './plans.js'
import { examineConnections, examineImports } from './data-sources.js'
import { examineEvents } from './events.js'
import { Examiner, type VettingOptions } from './examiner.js'
import { examineOtherTables } from './other-tables.js'
import { examineSecretsAndAddresses } from './secrets-and-addresses.js'
import { examineMirrors, examinePeers } from './peers.js'
import { examineSeries } from './series.js'
import { examineStreams } from './streams.js'
import type { Account } from '../../storage/platform/account.js'

/**
 * Reports everything that the service would not have written. The file must have the current schema, and `findUserFileProblems`
 * must have found no problems in it.
 */
export function vetAccount(
  layout: Layout,
  { id, username }: Pick<Account, 'id' | 'username'>,
  options: VettingOptions,
  report: (problem: Problem) => void
): void {
  const file = new ForeignRows(layout, id)
  const examiner = new Examiner(file, options, (kind, item, detail) =>
    report({ kind, user: username, ...(item !== undefined && { id: item }), detail })
  )
  try {
    for (const examine of [
      examineStreams,
      examineEvents,
      examineAccountValues,
      examineSeries,
      examineAccesses,
      examineImports,
      examineConnections,
      examineChannels,
      examineReminders,
      examineForms,
      examineRules,
      examineMirrors,
      examineSecretsAndAddresses,
      examinePeers,
      examineOtherTables
    ])
      examine(examiner)
  } finally {
    file.close()
  }
}
