/** Removes unused previews. (docs/spec/previews.md#cache) */
import { Type } from 'typebox'
import { closed } from '../../../schemas/scalars.js'
import { anyone } from '../../auth/allow.js'
import { serviceMethod } from '../../call/method.js'
import { iterateActiveAccounts } from '../../platform/find-account.js'
import type { Services } from '../../call/services.js'
import { nextTurn } from '../../../storage/steps.js'

/**
 * Removes the unused previews of all accounts, at most once a minute. Any client may call this: removed
 * previews are rendered again when needed.
 */
export const cleanUpCache = serviceMethod({
  id: 'previews.cleanUpCache',
  summary: 'Remove unused previews',
  params: Type.Object({}, closed),
  result: Type.Object({ message: Type.String() }),
  allow: anyone,
  async run({ services }) {
    const isDone = await cleanUpPreviews(services)
    return {
      message: isDone
        ? 'Previews that have not been used for long have been removed'
        : 'The cache is being cleaned up, or has just been'
    }
  }
})

/** Minimum seconds between two runs, since any client may request a run. */
const minPauseSeconds = 60

/** Whether a run is in progress and when the last run began, keyed by the previews service. */
const runs = new WeakMap<object, { isRunning: boolean; begunAt: number }>()

/** Removes unused previews of all accounts, unless a run is in progress or has just started. Returns false then. */
async function cleanUpPreviews(services: Services): Promise<boolean> {
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
