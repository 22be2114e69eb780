/** `coffer check`: whether a data directory is as it was written. No service may own it meanwhile. */
import { SingleBar } from 'cli-progress'
import type { Counts } from '../maintenance/check-account.js'
import { checkDirectory, type Progress } from '../maintenance/check.js'
import { presentDirectoryOf } from '../terminal/directory.js'

export interface CheckOptions {
  readonly json?: true
}

/** Prints a line for each problem and one that sums up, or all as JSON; the exit code is 1 if there is any problem. */
export async function check(argv: readonly string[], { json }: CheckOptions): Promise<void> {
  const { layout } = presentDirectoryOf(argv)
  const bar = new SingleBar({
    format: '[{bar}] {value}/{total} accounts, {events} events, {attachments} attachments',
    clearOnComplete: true
  })
  const isShown = !json && process.stderr.isTTY
  const report = await checkDirectory(layout, isShown ? progressOn(bar) : undefined)
  bar.stop()
  if (report.problems.length > 0) process.exitCode = 1
  if (json) return console.log(JSON.stringify(report, null, 2))
  for (const { detail, id, kind, user } of report.problems)
    console.log([kind, user, id, detail].filter(part => part !== undefined).join('\t'))
  console.log(summaryOf(report.counts, report.problems.length))
}

function progressOn(bar: SingleBar): Progress {
  return {
    begin: total => bar.start(total, 0, { events: 0, attachments: 0 }),
    step: ({ accounts, attachments, events }) => bar.update(accounts, { attachments, events })
  }
}

function summaryOf(counts: Counts, problems: number): string {
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
    `${accounts} accounts: ${events} events, ${versions} earlier versions, ${deletions} deletions, ${accesses} accesses, ${calls} calls,`,
    `${attachments} attachments (${megabytes} MiB); ${unsealed} items without an integrity value,`,
    `${leftOver} files that the service will sweep; ${problems === 0 ? 'no problem' : `${problems} problems`} found`
  ].join(' ')
}
