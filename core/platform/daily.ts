/** What has to be done now and then while the service runs: quietly, one account after the other. */
import { setTimeout as wait } from 'node:timers/promises'
import { activeAccounts } from './active-accounts.js'
import { sweepAttachments } from '../events/attachment-sweep.js'
import { cleanAudit } from './audit-retention.js'
import { cleanDeletions } from './deletion-records.js'
import { newId, timeOfId } from '../ids.js'
import type { Services } from '../call/services.js'
import type { Account } from '../../storage/platform/account.js'

const dayMs = 86_400_000
/** Seconds that a file may be there before its event is. */
const grace = 3600
/** Time that jobs rest for each bit of time that they work. */
const restFactor = 9

/** Jobs that are under way; `stop` ends them after the account they are at. */
export interface Jobs {
  stop(): Promise<void>
}

/** Does the daily work now, and every day from now on. */
export function startJobs(core: Services): Jobs {
  const stopping = new AbortController()
  let running = Promise.resolve()
  const run = (settledBefore: number): void => {
    running = running.then(() => daily(core, settledBefore, stopping.signal))
  }
  const timer = setInterval(() => run(now() - grace), dayMs)
  timer.unref()
  // Calls that were under way in an earlier process have ended with it.
  run(now())
  return {
    async stop() {
      stopping.abort()
      clearInterval(timer)
      await running
    }
  }
}

/** Ids tell when files were put in place, by the clock that ids are made by. */
function now(): number {
  return timeOfId(newId())
}

/** `settledBefore`: calls that brought files before that time (seconds) are over. */
async function daily(core: Services, settledBefore: number, signal: AbortSignal): Promise<void> {
  const isStopped = (): boolean => signal.aborted
  // What is nobody's own is the first one's work.
  if (core.share.index === 0) {
    await guarded(core, () => core.attachments.sweepDrafts())
    await guarded(core, async () => core.platform.authRequests.removeExpired(core.clock.now()))
  }
  for await (const account of activeAccounts(core)) {
    if (isStopped()) return
    if (!core.accounts.owns(account)) continue
    const begunMs = performance.now()
    await guarded(core, () =>
      core.accounts.visit(account, async () => {
        await guarded(core, () => sweepAttachments(core, account, settledBefore), account)
        await guarded(core, () => cleanDeletions(core, account, isStopped), account)
        await guarded(core, () => core.previews.cleanUp(account), account)
        await guarded(core, () => cleanAudit(core, account, isStopped), account)
      })
    )
    // There may be very many accounts, and none of this is urgent.
    const restMs = (performance.now() - begunMs) * restFactor
    await wait(restMs, undefined, { signal, ref: false }).catch(() => {})
  }
}

/** Trouble with one account must not keep the others from being looked after. */
async function guarded(core: Services, work: () => Promise<unknown>, account?: Account): Promise<void> {
  try {
    await work()
  } catch (cause) {
    core.log.warn('a daily job failed', { cause, ...(account && { accountId: account.id }) })
  }
}
