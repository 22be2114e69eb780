/** Tells owners what has become of the copies of their data, and what was read of them. (docs/api/mirrors.md#reports) */
import { maxReads, type CopyReport } from '../../schemas/mirrors/kept-copy.js'
import type { StoredMirror } from '../../storage/mirrors/mirror-repository.js'
import type { Account } from '../../storage/platform/account.js'
import type { Call } from '../call/method.js'
import type { Services } from '../call/services.js'
import { isTransient, type Endpoint, type PeerAnswer, type PeerCalls } from '../cmc/peers/peer-calls.js'
import { writeAsService } from '../cmc/service-calls.js'
import { limitWait } from '../time.js'
import { PeerFailed } from './peer-answers.js'
import { parseProgress } from './progress.js'

/** Seconds between two reports without reads. */
const reportSeconds = 3600

/** Where reports go. */
export interface ReportContext {
  readonly services: Services
  readonly account: Account
  readonly peers: PeerCalls
  readonly endpoint: Endpoint
  readonly id: string
}

/**
 * Reports what was read since the last report, or once an hour that the copy is there. Does nothing if the
 * other server takes no reports. Rejects with `PeerFailed`.
 */
export async function reportReads(context: ReportContext): Promise<void> {
  const report = await prepareReport(context)
  if (!report) return
  const answer = await context.peers.call(context.endpoint, 'mirrors.report', report)
  if (isTransient(answer)) throw new PeerFailed({ id: 'unreachable' }, answer.retryAfter)
  await endReport(context, answer)
}

/**
 * Reports that the copy is erased: with the token of the permission even if that has ended, as the owner's server still knows it.
 * Rejects with `PeerFailed`.
 */
export async function reportErasure(context: ReportContext): Promise<void> {
  const report = await prepareReport(context)
  if (!report) return
  let answer = await context.peers.call(context.endpoint, 'mirrors.report', report)
  if (answer.status === 401 || answer.status === 403)
    answer = await context.peers.call(context.endpoint, 'mirrors.reportErasure', report)
  if (isTransient(answer)) throw new PeerFailed({ id: 'unreachable' }, answer.retryAfter)
  await endReport(context, answer)
}

/**
 * Returns the report to make, which is the same until it has arrived; `undefined` if none is due. The reads
 * that it takes are no longer counted.
 */
async function prepareReport({ account, id, services }: ReportContext): Promise<CopyReport | undefined> {
  const store = services.accounts.openStore(account)
  const stored = store.read(() => store.mirrors.find(id))
  if (!stored || !needsReport(stored, services.clock.now(), store.mirrors.hasReads(id))) return undefined
  return await writeAsService(services, account, call => {
    const current = call.store.mirrors.find(id)
    if (!current) return undefined
    const progress = parseProgress(current)
    const { receipt, state } = current.mirror
    const pending = progress.pendingReport ?? {
      // By the clock too: a mirror on another server may have reported for the same permission.
      number: Math.max((progress.reports ?? 0) + 1, Math.floor(call.now)),
      reads: call.store.mirrors.takeReads(id, maxReads)
    }
    save(call, current, { ...progress, reports: pending.number, pendingReport: pending })
    const isErased = state === 'erased'
    return {
      ...pending,
      state: isErased ? 'erased' : 'live',
      ...(isErased && receipt !== undefined && { receipt })
    }
  })
}

/**
 * Returns whether to report to the owner of the data now: a report has not arrived yet, data was read, an hour has
 * passed, or the copy is erased.
 */
function needsReport(stored: StoredMirror, now: number, hasReads: boolean): boolean {
  const { pendingReport, reported = 0, takesNoReports } = parseProgress(stored)
  // A server that took no reports so far may take the last one: that the copy is erased.
  if (takesNoReports && stored.mirror.state !== 'erased') return false
  return (
    pendingReport !== undefined ||
    hasReads ||
    limitWait(reported + reportSeconds, now, reportSeconds) <= now ||
    stored.mirror.state === 'erased'
  )
}

/** Records that a report has arrived, or that the server takes none. */
async function endReport({ account, id, services }: ReportContext, { status }: PeerAnswer): Promise<void> {
  await writeAsService(services, account, call => {
    const stored = call.store.mirrors.find(id)
    if (!stored) return
    const { pendingReport: _pending, ...progress } = parseProgress(stored)
    const takesNone = status === 404 || status === 405 || status === 501
    save(call, stored, {
      ...progress,
      reported: call.now,
      ...(takesNone && { takesNoReports: true as const })
    })
  })
}

function save({ store }: Call, stored: StoredMirror, progress: object): void {
  store.mirrors.put({ ...stored, progress: JSON.stringify(progress) })
}
