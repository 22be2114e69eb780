/** Daily maintenance while the service runs, one account after the other. */
import { setTimeout as wait } from 'node:timers/promises'
import { removeUnusedClients } from '../oauth/clients.js'
import { iterateActiveAccounts } from './find-account.js'
import { sweepAttachments } from '../events/attachment-sweep.js'
import { eraseExpiredSecrets, removeExpired } from './retention.js'
import { deleteDue } from './remove-account.js'
import { createId, getIdTime } from '../ids.js'
import type { Services } from '../call/services.js'
import type { Account } from '../../storage/platform/account.js'

const dayMs = 86_400_000
const hourMs = 3_600_000
/** Seconds for which a file may exist before its event. */
const graceSeconds = 3600
/** Jobs pause this many times as long as they have run. */
const pauseFactor = 9

/** Running jobs; `stop` ends them after the current account. */
interface MaintenanceJobs {
  /** Starts no more jobs; resolves once the one under way has ended. */
  stop(): Promise<void>
}

/** A daily job for one account. */
type AccountJob = (account: Account) => unknown

/**
 * Runs the maintenance now, and every day from now on; deletions that are due every hour. Nodes of a cluster serve no account
 * yet when they start: they try again every hour until they do. `further`: jobs of other modules. Errors are logged, and end
 * only their own job.
 */
export function startMaintenance(services: Services, further: readonly AccountJob[] = []): MaintenanceJobs {
  const stopping = new AbortController()
  let running = Promise.resolve()
  /** Whether the jobs have run for an account. */
  let hasRun = false
  const run = (storedBefore: number): void => {
    running = running.then(() =>
      runGuarded(services, async () => {
        if (await runDailyJobs(services, further, storedBefore, stopping.signal)) hasRun = true
      })
    )
  }
  const runLater = (): void => run(getCurrentIdTime() - graceSeconds)
  const deleteDueAccounts = (): void => {
    running = running.then(() => runGuarded(services, () => deleteDue(services, stopping.signal)))
  }
  const timers = [
    setInterval(runLater, dayMs),
    setInterval(() => {
      deleteDueAccounts()
      if (!hasRun) runLater()
    }, hourMs)
  ]
  for (const timer of timers) timer.unref()
  deleteDueAccounts()
  // Calls that were under way in an earlier process have ended with it.
  run(getCurrentIdTime())
  return {
    async stop() {
      stopping.abort()
      for (const timer of timers) clearInterval(timer)
      await running
    }
  }
}

/** Returns the current time (seconds) by the clock of ids, from which the age of files is read. */
function getCurrentIdTime(): number {
  return getIdTime(createId())
}

/**
 * Runs the daily jobs. `storedBefore`: calls that stored files before that time (seconds) have ended. Returns whether an account is
 * served here.
 */
async function runDailyJobs(
  services: Services,
  further: readonly AccountJob[],
  storedBefore: number,
  signal: AbortSignal
): Promise<boolean> {
  let isServing = false
  const isStopped = (): boolean => signal.aborted
  // Work that does not belong to an account is done by the first thread.
  if (services.shard.index === 0) {
    await runGuarded(services, () => services.attachments.sweepDrafts())
    await runGuarded(services, () => services.platform.change('removeExpired', services.clock.now()))
    await runGuarded(services, () => removeUnusedClients(services, services.clock.now()))
  }
  for await (const account of iterateActiveAccounts(services)) {
    if (isStopped()) break
    if (!services.accounts.owns(account)) continue
    isServing = true
    const begunMs = performance.now()
    await runGuarded(services, () =>
      services.accounts.runInBackground(account, async () => {
        await runGuarded(services, () => sweepAttachments(services, account, storedBefore), account)
        await runGuarded(
          services,
          () => removeExpired(services, account, { kind: 'deletions', isStopped }),
          account
        )
        await runGuarded(services, () => eraseExpiredSecrets(services, account), account)
        await runGuarded(services, () => services.previews.cleanUp(account), account)
        await runGuarded(services, () => countEvents(services, account), account)
        await runGuarded(
          services,
          () => removeExpired(services, account, { kind: 'audit', isStopped }),
          account
        )
        await runGuarded(services, () => services.imports.expireFiles(account), account)
        for (const job of further) await runGuarded(services, async () => await job(account), account)
      })
    )
    // There may be very many accounts, and none of this is urgent.
    const pauseMs = (performance.now() - begunMs) * pauseFactor
    await wait(pauseMs, undefined, { signal, ref: false }).catch(() => {})
  }
  return isServing
}

/** Runs work and logs its errors: a failure for one account must not stop the maintenance of others. */
async function runGuarded(
  services: Services,
  work: () => Promise<unknown>,
  account?: Account
): Promise<void> {
  try {
    await work()
  } catch (cause) {
    services.log.warn('a daily job failed', { cause, ...(account && { accountId: account.id }) })
  }
}

/** Seconds for which an account counts as new: at least one daily job has counted it within this time. */
const newSeconds = 2 * 86_400

/**
 * Counts the events added to an account since it was last counted. (docs/spec/administration.md#growth) Does
 * nothing if there are none.
 */
export async function countEvents({ accounts, clock, platform }: Services, account: Account): Promise<void> {
  const now = clock.now()
  const store = accounts.openStore(account)
  const highest = store.read(() => store.events.highestNumber)
  if (platform.growth.getCounted(account.id) === highest) return
  await platform.change('countEvents', now, account.id, highest, account.created > now - newSeconds)
}
