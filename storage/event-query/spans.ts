/**
 * Duration classes: periods of class k last at most 2^k seconds, so the periods that began before a time and reach it
 * are found by looking back that far, class by class. Running periods are a separate class.
 */
import type { Database } from 'better-sqlite3'
import { column } from '../sqlite/statements.js'

/** The class of periods without an end. Finite durations are below it: 2^1024 is beyond a double. */
export const runningClass = 2000

/**
 * Returns the class of a duration (n for more than 2^(n-1) and up to 2^n seconds, 0 also for less; a class of
 * its own for `null`, a running period); `undefined` for a point in time.
 */
export function getDurationClass(duration: number | null | undefined): number | undefined {
  if (duration === null) return runningClass
  if (duration === undefined || duration === 0) return undefined
  return Math.max(0, Math.ceil(Math.log2(duration)))
}

/** Returns the end of a period; infinite while it runs; `undefined` for a point in time. */
export function getPeriodEnd(time: number, duration: number | null | undefined): number | undefined {
  if (duration === null) return Infinity
  if (duration === undefined || duration === 0) return undefined
  return Math.min(time + duration, Number.MAX_VALUE)
}

/** Returns the earliest time at which a period of this class may have begun if it reaches `time`. */
export function getEarliestStart(span: number, time: number): number {
  if (span === runningClass) return -Infinity
  const length = 2 ** span
  // Doubles are rounded: a wider range is harmless because ends are compared anyway.
  return time - length - (Math.abs(time) + length) * 1e-12
}

/** The classes that occur in one file, cached. May include classes that no longer occur. */
export class DurationClasses {
  #classes: Set<number> | undefined

  constructor(private readonly db: Database) {}

  /** Records that a class occurs. */
  add(span: number): void {
    this.#load().add(span)
  }

  /** Clears the cache. */
  invalidate(): void {
    this.#classes = undefined
  }

  /** Lists all classes, in no particular order. */
  list(): number[] {
    return [...this.#load()]
  }

  /** Reads the classes with one seek each, however many periods there are. */
  #load(): Set<number> {
    if (this.#classes) return this.#classes
    const next = column(
      this.db,
      'SELECT min(span) FROM event INDEXED BY event_span WHERE trashed = ? AND span > ?'
    )
    const classes = new Set<number>()
    for (const trashed of [0, 1])
      for (let span = next.get(trashed, -1); span !== null; span = next.get(trashed, span))
        classes.add(span as number)
    return (this.#classes = classes)
  }
}
