/** Reads of which a later one is never replaced by an earlier one, however long each takes. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { explainError, type Message } from '../../explain-error.js'
import { useAccount } from './account.js'
import { ReadOrder } from './read-order.js'

/** What was read, or why it could not be. */
export interface Reading<T> {
  /** Undefined until it is read. The last result stays while a read fails. */
  readonly read: T | undefined
  /** Why the last read failed. */
  readonly problem: Message | undefined
  /** Reads again. Never rejects. */
  readonly reread: () => Promise<void>
  /** Shows something else, such as the answer to a change, instead of what is being read. */
  readonly show: (read: T) => void
}

interface Repetition<T> {
  /**
   * Returns the milliseconds until the next read after what was read last; the page also reads when it is shown again, as timers
   * stop while a device sleeps.
   */
  readonly everyMs?: (read: T | undefined) => number
  /** Minimum milliseconds between reads while events change. Without it, these cause none. */
  readonly followMs?: number
}

/** Reads with `call` now, when one of `inputs` changes, and repeatedly. What was begun with other inputs is ignored, and `signal` cancels it. */
export function useReading<T>(
  call: (signal: AbortSignal) => Promise<T>,
  inputs: readonly unknown[] = [],
  { everyMs, followMs }: Repetition<T> = {}
): Reading<T> {
  const { live } = useAccount()
  const [read, setRead] = useState<T>()
  const [problem, setProblem] = useState<Message>()
  const [order] = useState(() => new ReadOrder())
  const intervalMs = everyMs?.(read)
  const latest = useRef(call)
  latest.current = call
  const keep = (found: T): void => {
    setRead(found)
    setProblem(undefined)
  }
  const reread = async (): Promise<void> =>
    await order
      .keep(latest.current(order.signal), keep)
      .catch((error: unknown) => setProblem(explainError(error).message))
  useEffect(() => {
    const again = (): void => void reread()
    again()
    const end = followMs === undefined ? undefined : live.follow('events', again, followMs)
    const timer = intervalMs && setInterval(again, intervalMs)
    if (timer) document.addEventListener('visibilitychange', again)
    return () => {
      order.drop()
      end?.()
      clearInterval(timer)
      document.removeEventListener('visibilitychange', again)
    }
  }, [...inputs, intervalMs])
  return {
    read,
    problem,
    reread,
    show: found => {
      order.drop()
      keep(found)
    }
  }
}
