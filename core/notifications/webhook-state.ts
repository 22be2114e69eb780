/** What a call makes of a webhook: counters, runs, state. Pure. (docs/spec/notifications.md#delivery) */
import type { Webhook } from '../../schemas/webhook.js'
import { isSuccess } from '../outgoing/webhook-sender.js'

/** The webhook after a call that ended now with this status. */
export function afterRun(
  webhook: Webhook,
  status: number,
  now: number,
  { runsSize }: { readonly runsSize: number }
): Webhook {
  const lastRun = { status, timestamp: now }
  const hasSucceeded = isSuccess(status)
  const currentRetries = hasSucceeded ? 0 : webhook.currentRetries + 1
  return {
    ...webhook,
    runCount: webhook.runCount + 1,
    failCount: webhook.failCount + (hasSucceeded ? 0 : 1),
    lastRun,
    runs: [lastRun, ...webhook.runs].slice(0, runsSize),
    currentRetries,
    state: currentRetries >= webhook.maxRetries ? 'inactive' : webhook.state
  }
}

/** When the next call may be made, in seconds: retries wait longer each time. */
export function nextRunAt({ currentRetries, lastRun, minIntervalMs }: Webhook): number {
  return lastRun.timestamp + (minIntervalMs / 1000) * Math.max(1, currentRetries)
}
