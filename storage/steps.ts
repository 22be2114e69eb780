/** Work in steps: it yields wherever others may have their turn. (issue 8.3) */
import { setImmediate as nextTurn } from 'node:timers/promises'

/** Work that may be interrupted wherever it yields; its value comes last. */
export type Steps<T> = Generator<void, T, void>

/** Time after which others get their turn, in milliseconds. */
const turnMs = 8

/** Does the steps, a few milliseconds of them at a time. */
export async function inTurns<T>(steps: Steps<T>): Promise<T> {
  for (;;) {
    const end = performance.now() + turnMs
    do {
      const { done, value } = steps.next()
      if (done) return value
    } while (performance.now() < end)
    await nextTurn()
  }
}
