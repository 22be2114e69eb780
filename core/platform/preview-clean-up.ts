/** Removes previews of all accounts that nobody has looked at for long, when asked to. (docs/spec/previews.md#cache) */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { activeAccounts } from './active-accounts.js'
import type { Services } from '../call/services.js'

/** Seconds until another run makes sense: anybody may ask for one. */
const pause = 60

/** Runs that are under way, and when the last one began, by service. */
const runs = new WeakMap<object, { isRunning: boolean; begunAt: number }>()

/** Cleans up, unless that is being done or has just been. Answers whether it did. */
export async function cleanUpPreviews(core: Services): Promise<boolean> {
  const now = core.clock.now()
  const last = runs.get(core.previews)
  if (last && (last.isRunning || Math.abs(now - last.begunAt) < pause)) return false
  const run = { isRunning: true, begunAt: now }
  runs.set(core.previews, run)
  try {
    for await (const account of activeAccounts(core)) {
      await core.previews.cleanUp(account)
      await nextTurn()
    }
    return true
  } finally {
    run.isRunning = false
  }
}
