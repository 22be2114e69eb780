/** Removes unused previews of all accounts on request. (docs/spec/previews.md#cache) */
import { iterateActiveAccounts } from './active-accounts.js'
import type { Services } from '../call/services.js'
import { nextTurn } from '../../storage/steps.js'

/** Least seconds between two runs, since anybody may ask for one. */
const minPauseSeconds = 60

/** Whether a run is in progress and when the last one began, by service. */
const runs = new WeakMap<object, { isRunning: boolean; begunAt: number }>()

/** Cleans up, unless a run is in progress or has just begun. Returns whether it did. */
export async function cleanUpPreviews(services: Services): Promise<boolean> {
  const now = services.clock.now()
  const last = runs.get(services.previews)
  if (last && (last.isRunning || Math.abs(now - last.begunAt) < minPauseSeconds)) return false
  const run = { isRunning: true, begunAt: now }
  runs.set(services.previews, run)
  try {
    for await (const account of iterateActiveAccounts(services)) {
      await services.previews.cleanUp(account)
      await nextTurn()
    }
    return true
  } finally {
    run.isRunning = false
  }
}
