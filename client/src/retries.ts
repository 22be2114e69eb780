/** Retries failed calls: which ones, and after what delay. */
import { CofferError } from './errors.js'

export interface RetryOptions {
  /** Maximum number of retries. */
  readonly retries: number
  /** Whether the call is idempotent. */
  readonly isRepeatable: boolean
  readonly signal?: AbortSignal | undefined
}

/** Default delay before the first retry, doubled with each further one, and its maximum, in seconds. */
const minDelay = 0.5
const maxDelay = 30

/** Statuses of proxies that could not reach the service, or lost its response. */
export const proxyErrors: ReadonlySet<number | undefined> = new Set([502, 503, 504])

/**
 * Runs `work`, and retries it while the service postpones it (429, or 503 with `Retry-After`, which both mean that
 * nothing was done), or if `work` is idempotent and got no response. Rejects with the last error; immediately if the
 * wait would exceed 30 seconds.
 */
export async function withRetries<T>(work: () => Promise<T>, options: RetryOptions): Promise<T> {
  for (let attempt = 0; ; attempt++)
    try {
      return await work()
    } catch (error) {
      const delay =
        attempt < options.retries ? getRetryDelay(error, attempt, options.isRepeatable) : undefined
      if (delay === undefined) throw error
      await sleep(delay, options.signal)
    }
}

/** Returns seconds until the next attempt; `undefined` if the call must not be retried. */
function getRetryDelay(error: unknown, attempt: number, isRepeatable: boolean): number | undefined {
  if (!(error instanceof CofferError)) return undefined
  const { id, retryAfter, status } = error
  const isPostponed =
    id === 'too-many-requests' || status === 429 || (status === 503 && retryAfter !== undefined)
  const isLost = id === 'offline' || id === 'timeout' || proxyErrors.has(status)
  if (!isPostponed && !(isRepeatable && isLost)) return undefined
  if (retryAfter === undefined) return getBackoff(attempt)
  // Jitter: clients that received the same `Retry-After` must not retry at the same time.
  return retryAfter > maxDelay ? undefined : retryAfter * (1 + Math.random() / 4)
}

/** Returns an exponential delay with jitter, in seconds. `attempt` counts from 0. */
export function getBackoff(attempt: number, minDelaySeconds = minDelay, maxDelaySeconds = maxDelay): number {
  return Math.min(maxDelaySeconds, minDelaySeconds * 2 ** attempt) * (0.5 + Math.random() / 2)
}

/** Waits for the given number of seconds. Rejects with the signal's reason when it is aborted. */
export async function sleep(seconds: number, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted()
  await new Promise<void>((resolve, reject) => {
    const abort = (): void => {
      clearTimeout(timer)
      reject(signal!.reason as Error)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort)
      resolve()
    }, seconds * 1000)
    signal?.addEventListener('abort', abort, { once: true })
  })
}
