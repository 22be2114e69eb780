/**
 * The state of a webhook after a call: counters, runs, whether it is active. Pure functions.
 * (docs/spec/notifications.md#delivery)
 */
import type { Webhook } from '../../schemas/webhook.js'
import { isSuccess } from '../outgoing/webhook-sender.js'

/** Returns the webhook after a call that has just ended with this status. */
export function applyRun(
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

/** Returns the time of the next call, in seconds. The wait grows with each retry. */
export function computeNextRun({ currentRetries, lastRun, minIntervalMs }: Webhook): number {
  return lastRun.timestamp + (minIntervalMs / 1000) * Math.max(1, currentRetries)
}
