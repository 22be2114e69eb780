/** Waits for the engine of the cluster when a node starts: the machines of a site may start in any order. */
import { setTimeout as wait } from 'node:timers/promises'
import type { Log } from '../../core/log.js'
import { StoreUnavailable } from '../../storage/errors.js'

interface RetryStartOptions {
  readonly log: Pick<Log, 'info' | 'warn'>
  /** Called repeatedly while the start waits. */
  readonly onWait: () => void
  /** Cancels the wait. */
  readonly signal: AbortSignal | undefined
}

/** Milliseconds between two attempts, until an attempt is reported as slow, and between two lines of the log. */
const [pauseMs, slowMs, reportMs] = [1000, 10_000, 60_000]

/**
 * Calls `start` until it succeeds, while the engine does not respond. Rejects with any other error, and with the reason of the
 * signal when it is aborted; an attempt in progress is not cancelled.
 */
export async function retryStart<T>(
  start: () => Promise<T>,
  { log, onWait, signal }: RetryStartOptions
): Promise<T> {
  const { EngineUnavailable } = await import('../../cluster/engine.js')
  let lastReportMs: number | undefined
  const report = (message: string, cause?: unknown): void => {
    onWait()
    if (lastReportMs !== undefined && performance.now() - lastReportMs < reportMs) return
    lastReportMs = performance.now()
    log.warn(message, { cause })
  }
  // With one of three servers up, connecting succeeds, but writes wait.
  const slowTimer = setInterval(
    () =>
      report(
        'this node has not started yet; it is waiting for the engine of the cluster, or for its previous lease to expire'
      ),
    slowMs
  ).unref()
  try {
    for (;;) {
      signal?.throwIfAborted()
      try {
        const started = await cancelOnAbort(start(), signal)
        if (lastReportMs !== undefined) log.info('the engine of the cluster is responding')
        return started
      } catch (error) {
        const isUnavailable = error instanceof EngineUnavailable || error instanceof StoreUnavailable
        if (signal?.aborted || !isUnavailable) throw error
        report('the engine of the cluster is not responding; this node is waiting for it', error)
      }
      await wait(pauseMs, undefined, { signal, ref: false })
    }
  } finally {
    clearInterval(slowTimer)
  }
}

/** Settles as `work` does, or rejects as soon as the signal is aborted. */
async function cancelOnAbort<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return await work
  // A race with one promise for all attempts would keep the errors of all of them in memory.
  return await new Promise((resolve, reject) => {
    const end = (): void => reject(signal.reason as Error)
    signal.addEventListener('abort', end, { once: true })
    void work.then(resolve, reject).finally(() => signal.removeEventListener('abort', end))
  })
}
