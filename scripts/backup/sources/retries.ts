/** Repeats requests that the engine has not answered: it elects another leader within seconds. */
import { setTimeout as wait } from 'node:timers/promises'
import { EngineUnavailable } from '../../../cluster/engine.js'

/** Maximum number of retries, and the time before each in milliseconds. */
const [maxRetries, retryMs] = [5, 1000]

/**
 * Runs `request`, again while it rejects with `EngineUnavailable`; after the last retry, rejects with that. Other errors are thrown
 * at once. Rejects with an `AbortError` when `signal` aborts between two attempts.
 */
export async function withRetries<T>(request: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  for (let left = maxRetries; ; left--) {
    try {
      return await request()
    } catch (error) {
      if (!(error instanceof EngineUnavailable) || left === 0) throw error
    }
    await wait(retryMs, undefined, { ...(signal && { signal }) })
  }
}
