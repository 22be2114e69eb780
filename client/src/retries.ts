/** Trying again: what may be tried, and after what time. */
import { CofferError } from './errors.js'

export interface Retrying {
  /** Further attempts, at most. */
  readonly retries: number
  /** Whether the call may be made twice though it was to be made once. */
  readonly isRepeatable: boolean
  readonly signal?: AbortSignal | undefined
}

/** Seconds until the second attempt, doubled with each further one, and the most of them. */
const firstWait = 0.5
const longestWait = 30

/** Statuses of proxies that have reached nobody, or have lost the answer. */
const lost: ReadonlySet<number | undefined> = new Set([502, 503, 504])

/**
 * Does work, again and again while it is refused for the time being: with 429, or 503 and `Retry-After`, which both say that nothing
 * was done; or, if it is repeatable, for want of an answer. Rejects with the last error, or at once if the wait would exceed half a
 * minute.
 */
export async function withRetries<T>(work: () => Promise<T>, options: Retrying): Promise<T> {
  for (let attempt = 0; ; attempt++)
    try {
      return await work()
    } catch (error) {
      const wait = attempt < options.retries ? waitBefore(error, attempt, options.isRepeatable) : undefined
      if (wait === undefined) throw error
      await pause(wait, options.signal)
    }
}

/** Seconds until the next attempt; `undefined` if there must be none. */
function waitBefore(error: unknown, attempt: number, isRepeatable: boolean): number | undefined {
  if (!(error instanceof CofferError)) return undefined
  const { id, retryAfter, status } = error
  const isPostponed =
    id === 'too-many-requests' || status === 429 || (status === 503 && retryAfter !== undefined)
  const isLost = id === 'offline' || id === 'timeout' || lost.has(status)
  if (!isPostponed && !(isRepeatable && isLost)) return undefined
  if (retryAfter === undefined) return backOff(attempt)
  // Those who were told to come at the same time come one after the other.
  return retryAfter > longestWait ? undefined : retryAfter * (1 + Math.random() / 4)
}

/** Seconds to wait after so many attempts, from 0 on: longer each time, and not the same for everybody. */
export function backOff(attempt: number, first = firstWait, longest = longestWait): number {
  return Math.min(longest, first * 2 ** attempt) * (0.5 + Math.random() / 2)
}

/** Waits for some seconds. Rejects with the signal's reason as soon as it is aborted. */
export async function pause(seconds: number, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted()
  await new Promise<void>((resolve, reject) => {
    const end = (): void => {
      clearTimeout(timer)
      reject(signal!.reason as Error)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', end)
      resolve()
    }, seconds * 1000)
    signal?.addEventListener('abort', end, { once: true })
  })
}
