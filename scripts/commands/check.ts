/** `coffer check`: checks the integrity of a data directory, whether or not a service is running. */
import { SingleBar } from 'cli-progress'
import type { Counts } from '../maintenance/check-account.js'
import { openAttachments } from '../maintenance/bucket.js'
import { checkDirectory, type Progress } from '../maintenance/check.js'
import { formatCount, formatProblem } from '../terminal/output.js'
import { loadExistingDirectory } from '../terminal/directory.js'

export interface CheckOptions {
  readonly json?: true
}

/** Prints one line per problem and a summary, or a report as JSON. The exit code is 1 if there are problems. */
export async function check(argv: readonly string[], { json }: CheckOptions): Promise<void> {
  const { layout, settings } = loadExistingDirectory(argv)
  const bar = new SingleBar({
    format: '[{bar}] accounts: {value}/{total}, events: {events}, attachments: {attachments}',
    clearOnComplete: true
  })
  const isShown = !json && process.stderr.isTTY
  const report = await checkDirectory(
    layout,
    isShown ? showProgress(bar) : undefined,
    await openAttachments(layout, settings)
  )
  bar.stop()
  if (report.problems.length > 0) process.exitCode = 1
  if (json) return console.log(JSON.stringify(report, null, 2))
  for (const problem of report.problems) console.log(formatProblem(problem))
  console.log(formatSummary(report.counts, report.problems.length))
}

function showProgress(bar: SingleBar): Progress {
  return {
    begin: total => bar.start(total, 0, { events: 0, attachments: 0 }),
    step: ({ accounts, attachments, events }) => bar.update(accounts, { attachments, events })
  }
}

/** Formats the counts of all that was checked as one sentence. */
function formatSummary(counts: Counts, problems: number): string {
  const {
    accesses,
    accounts,
    attachmentBytes,
    attachments,
    calls,
    deletions,
    events,
    leftOver,
    unsealed,
    versions
  } = counts
  const megabytes = (attachmentBytes / 1024 / 1024).toFixed(1)
  return [
    `${formatCount(accounts, 'account')}: ${formatCount(events, 'event')}, ${formatCount(versions, 'earlier version')}, ${formatCount(deletions, 'deletion')}, ${formatCount(accesses, 'access', 'accesses')}, ${formatCount(calls, 'call')},`,
    `${formatCount(attachments, 'attachment')} (${megabytes} MiB); ${formatCount(unsealed, 'item')} without an integrity value,`,
    `${formatCount(leftOver, 'unused file')} that the service will remove; ${problems === 0 ? 'no problems' : formatCount(problems, 'problem')} found`
  ].join(' ')
}
