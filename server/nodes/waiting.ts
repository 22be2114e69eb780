/** Waits for the engine of the cluster at the start of a node: the machines of a site may come up in any order. */
import { setTimeout as wait } from 'node:timers/promises'
import type { Log } from '../../core/log.js'
import { StoreUnavailable } from '../../storage/errors.js'

export interface WaitingOptions {
  readonly log: Pick<Log, 'info' | 'warn'>
  /** Called as long as it has to be waited, again and again. */
  readonly onWait: () => void
  /** Ends waiting. */
  readonly signal: AbortSignal | undefined
}

/** Time between two attempts, after which one is slow, and between two lines of the log, in milliseconds. */
const [pauseMs, slowMs, tellMs] = [1000, 10_000, 60_000]

/**
 * Starts something as often as it takes, while the engine does not answer. Rejects with whatever else is wrong, and as soon as
 * the signal says so; what is under way then is left to itself.
 */
export async function onceThere<T>(
  start: () => Promise<T>,
  { log, onWait, signal }: WaitingOptions
): Promise<T> {
  const { EngineUnavailable } = await import('../../cluster/engine.js')
  let told: number | undefined
  const tell = (message: string, cause?: unknown): void => {
    onWait()
    if (told !== undefined && performance.now() - told < tellMs) return
    told = performance.now()
    log.warn(message, { cause })
  }
  // With one server of three it can be connected to, and nothing be written.
  const slow = setInterval(
    () =>
      tell(
        'this node has not started yet; it is waiting for the engine of the cluster, or for its previous lease to expire'
      ),
    slowMs
  ).unref()
  try {
    for (;;) {
      signal?.throwIfAborted()
      try {
        const started = await unlessEnded(start(), signal)
        if (told !== undefined) log.info('the engine of the cluster is responding')
        return started
      } catch (error) {
        const isAway = error instanceof EngineUnavailable || error instanceof StoreUnavailable
        if (signal?.aborted || !isAway) throw error
        tell('the engine of the cluster is not responding; this node is waiting for it', error)
      }
      await wait(pauseMs, undefined, { signal, ref: false })
    }
  } finally {
    clearInterval(slow)
  }
}

/** What work ends with, unless the signal says first that nobody waits for it any more. */
async function unlessEnded<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return await work
  // A race with one promise for all attempts would keep what each has failed with for as long as it takes.
  return await new Promise((resolve, reject) => {
    const end = (): void => reject(signal.reason as Error)
    signal.addEventListener('abort', end, { once: true })
    void work.then(resolve, reject).finally(() => signal.removeEventListener('abort', end))
  })
}
