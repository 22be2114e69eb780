/** `coffer rebuild-index`: makes what all accounts share again from what each of them holds. */
import { lockDirectory } from '../../storage/sqlite/lock.js'
import { presentDirectoryOf } from '../terminal/directory.js'
import { split } from '../terminal/operands.js'
import { withBar } from '../terminal/progress.js'
import { rebuildPlatform } from '../maintenance/rebuild-platform.js'

export interface RebuildOptions {
  readonly json?: true
}

/** Prints what was done; the exit code is 1 if something has to be looked at. */
export async function rebuildIndex(args: readonly string[], { json }: RebuildOptions): Promise<void> {
  const { layout } = presentDirectoryOf(split(args).flags)
  const release = lockDirectory(layout.lockFile)
  try {
    const report = await withBar(json, progress => rebuildPlatform(layout, progress))
    if (report.problems.length > 0) process.exitCode = 1
    if (json) return console.log(JSON.stringify(report, null, 2))
    for (const { detail, user } of report.problems) console.error([user, detail].join('\t'))
    const what = report.isNew
      ? 'The platform file has been made again'
      : 'The index of unique values has been made again'
    console.log(`${what} from ${report.accounts} accounts`)
    if (report.former !== undefined) console.log(`What was there is now ${report.former}`)
    if (report.isNew)
      console.log(
        'Check who has moved elsewhere, and which invitations are open: what could not be read is lost'
      )
  } finally {
    release()
  }
}
