/** Work in steps: it yields wherever others may have their turn. */
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

/** Does all steps at once. */
export function atOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}

/** Items that one step looks at. */
const stepItems = 1000

/** As `map`. */
export function* mapped<T, U>(items: readonly T[], change: (item: T) => U): Steps<U[]> {
  const result: U[] = []
  for (let from = 0; from < items.length; from += stepItems) {
    if (from > 0) yield
    for (const item of items.slice(from, from + stepItems)) result.push(change(item))
  }
  return result
}

/** As `toSorted`, by a number: those of the same number stay in order. */
export function* sorted<T>(items: readonly T[], by: (item: T) => number): Steps<readonly T[]> {
  let runs: (readonly T[])[] = []
  for (let from = 0; from < items.length; from += stepItems) {
    runs.push(items.slice(from, from + stepItems).toSorted((a, b) => by(a) - by(b)))
    yield
  }
  while (runs.length > 1) {
    const longer: (readonly T[])[] = []
    for (let at = 0; at < runs.length; at += 2) longer.push(yield* joined(runs[at]!, runs[at + 1] ?? [], by))
    runs = longer
  }
  return runs[0] ?? []
}

/** Two ordered lists as one. */
function* joined<T>(a: readonly T[], b: readonly T[], by: (item: T) => number): Steps<readonly T[]> {
  if (a.length === 0 || b.length === 0 || by(a.at(-1)!) <= by(b[0]!)) return [...a, ...b]
  const result: T[] = []
  for (let i = 0, j = 0; result.length < a.length + b.length;) {
    if (j === b.length || (i < a.length && by(a[i]!) <= by(b[j]!))) result.push(a[i++]!)
    else result.push(b[j++]!)
    if (result.length % stepItems === 0) yield
  }
  return result
}
