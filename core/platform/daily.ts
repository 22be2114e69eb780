/** Daily maintenance while the service runs, one account after the other. */
import { setTimeout as wait } from 'node:timers/promises'
import { removeUnusedClients } from '../oauth/clients.js'
import { activeAccounts } from './active-accounts.js'
import { sweepAttachments } from '../events/attachment-sweep.js'
import { cleanAudit } from './audit-retention.js'
import { cleanDeletions } from './deletion-records.js'
import { deleteDue } from './due-deletions.js'
import { countEvents } from './growth.js'
import { newId, timeOfId } from '../ids.js'
import type { Services } from '../call/services.js'
import type { Account } from '../../storage/platform/account.js'

const dayMs = 86_400_000
const hourMs = 3_600_000
/** Seconds for which a file may exist before its event. */
const grace = 3600
/** Jobs pause this many times as long as they have worked. */
const restFactor = 9

/** Running jobs; `stop` ends them after the current account. */
export interface Jobs {
  stop(): Promise<void>
}

/** Runs the maintenance now, and every day from now on; deletions that are due every hour. */
export function startJobs(services: Services): Jobs {
  const stopping = new AbortController()
  let running = Promise.resolve()
  const run = (settledBefore: number): void => {
    running = running.then(() => daily(services, settledBefore, stopping.signal))
  }
  const endGraces = (): void => {
    running = running.then(() => guarded(services, () => deleteDue(services, stopping.signal)))
  }
  const timers = [setInterval(() => run(now() - grace), dayMs), setInterval(endGraces, hourMs)]
  for (const timer of timers) timer.unref()
  endGraces()
  // Calls that were under way in an earlier process have ended with it.
  run(now())
  return {
    async stop() {
      stopping.abort()
      for (const timer of timers) clearInterval(timer)
      await running
    }
  }
}

/** Current time (seconds) by the clock of ids, from which the age of files is read. */
function now(): number {
  return timeOfId(newId())
}

/** `settledBefore`: calls that stored files before that time (seconds) have ended. */
async function daily(services: Services, settledBefore: number, signal: AbortSignal): Promise<void> {
  const isStopped = (): boolean => signal.aborted
  // Work that does not belong to an account is done by the first thread.
  if (services.shard.index === 0) {
    await guarded(services, () => services.attachments.sweepDrafts())
    await guarded(services, () => services.platform.change('removeExpired', services.clock.now()))
    await guarded(services, () => removeUnusedClients(services, services.clock.now()))
  }
  for await (const account of activeAccounts(services)) {
    if (isStopped()) return
    if (!services.accounts.owns(account)) continue
    const begunMs = performance.now()
    await guarded(services, () =>
      services.accounts.runInBackground(account, async () => {
        await guarded(services, () => sweepAttachments(services, account, settledBefore), account)
        await guarded(services, () => cleanDeletions(services, account, isStopped), account)
        await guarded(services, () => services.previews.cleanUp(account), account)
        await guarded(services, () => countEvents(services, account), account)
        await guarded(services, () => cleanAudit(services, account, isStopped), account)
        await guarded(services, () => services.imports.expire(account), account)
      })
    )
    // There may be very many accounts, and none of this is urgent.
    const restMs = (performance.now() - begunMs) * restFactor
    await wait(restMs, undefined, { signal, ref: false }).catch(() => {})
  }
}

/** Logs errors: a failure for one account must not stop the maintenance of others. */
async function guarded(services: Services, work: () => Promise<unknown>, account?: Account): Promise<void> {
  try {
    await work()
  } catch (cause) {
    services.log.warn('a daily job failed', { cause, ...(account && { accountId: account.id }) })
  }
}
