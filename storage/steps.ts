/** Long work as generators, which yield so that the event loop is not blocked. */
import { NeedsSteps } from './errors.js'
import { scheduler, serviceParty, type Party } from './scheduler.js'

/** Work that may pause wherever it yields, and returns its value. */
export type Steps<T> = Generator<undefined, T, void>

/** Longest time without returning to the event loop, in milliseconds. */
const turnMs = 8

/** Resolves in a later turn of the event loop, when it is the party's turn. */
export function nextTurn(party = serviceParty): Promise<void> {
  return scheduler.next(party)
}

/** Runs the steps in slices of a few milliseconds, each when it is the party's turn. */
export async function runInTurns<T>(steps: Steps<T>, party: Party = serviceParty): Promise<T> {
  const turn = scheduler.createTurns(party)
  for (;;) {
    const waiting = turn()
    if (waiting) await waiting
    const end = performance.now() + turnMs
    do {
      const { done, value } = steps.next()
      if (done) return value
    } while (performance.now() < end)
  }
}

/** Runs all steps synchronously. */
export function runSteps<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}

/** Where writes are made: the file of a user. */
interface Writable<Store> {
  write<T>(work: () => T, access?: string): Promise<T>
  commit<T>(work: () => T, access?: string): Promise<T>
  writeInSteps<T>(stepsIn: (draft: Store) => Steps<T>, access?: string): Promise<T>
}

/**
 * Makes a write at once; in steps if it `isLong`, or throws `NeedsSteps`, which rolls it back. `access`: id of the access whose
 * turns it takes. Resolves once it is on disk; with `isDurable` false, at the commit, unless it was made in steps.
 */
export async function writeSteps<Store extends Writable<Store>, T>(
  store: Store,
  work: (store: Store) => Steps<T>,
  {
    access = '',
    isDurable = true,
    isLong = false
  }: {
    readonly access?: string | undefined
    readonly isDurable?: boolean
    readonly isLong?: boolean
  } = {}
): Promise<T> {
  if (isLong) return await store.writeInSteps(work, access)
  try {
    const run = (): T => runSteps(work(store))
    return await (isDurable ? store.write(run, access) : store.commit(run, access))
  } catch (error) {
    if (!(error instanceof NeedsSteps)) throw error
    return await store.writeInSteps(work, access)
  }
}

/** Items per step. */
const stepItems = 1000

/** `Array.map` in steps. */
export function* mapInSteps<T, U>(items: readonly T[], change: (item: T) => U): Steps<U[]> {
  const result: U[] = []
  for (let from = 0; from < items.length; from += stepItems) {
    if (from > 0) yield
    for (const item of items.slice(from, from + stepItems)) result.push(change(item))
  }
  return result
}

/** A stable `toSorted` in steps. */
export function* sortInSteps<T>(items: readonly T[], compare: (a: T, b: T) => number): Steps<readonly T[]> {
  let runs: (readonly T[])[] = []
  for (let from = 0; from < items.length; from += stepItems) {
    runs.push(items.slice(from, from + stepItems).toSorted(compare))
    yield
  }
  while (runs.length > 1) {
    const longer: (readonly T[])[] = []
    for (let at = 0; at < runs.length; at += 2)
      longer.push(yield* mergeInSteps(runs[at]!, runs[at + 1] ?? [], compare))
    runs = longer
  }
  return runs[0] ?? []
}

/** Merges two sorted lists. */
function* mergeInSteps<T>(
  a: readonly T[],
  b: readonly T[],
  compare: (a: T, b: T) => number
): Steps<readonly T[]> {
  if (a.length === 0 || b.length === 0 || compare(a.at(-1)!, b[0]!) <= 0) return [...a, ...b]
  const result: T[] = []
  for (let i = 0, j = 0; result.length < a.length + b.length;) {
    if (j === b.length || (i < a.length && compare(a[i]!, b[j]!) <= 0)) result.push(a[i++]!)
    else result.push(b[j++]!)
    if (result.length % stepItems === 0) yield
  }
  return result
}
