/**
 * Duration classes: periods of class k last at most 2^k seconds, so those that began before a moment and reach it are
 * found by looking back that far, class by class. Running periods are a class of their own.
 */
import type { Database } from 'better-sqlite3'
import { column } from '../sqlite/statements.js'

/** The class of what has no end. Finite durations stay below: 2^1024 is beyond a double. */
export const runningClass = 2000

/** The class of a duration; `undefined` for a point in time. */
export function getDurationClass(duration: number | null | undefined): number | undefined {
  if (duration === null) return runningClass
  if (duration === undefined || duration === 0) return undefined
  return Math.max(0, Math.ceil(Math.log2(duration)))
}

/** The end of a period; endless while it runs; `undefined` for a point in time. */
export function getPeriodEnd(time: number, duration: number | null | undefined): number | undefined {
  if (duration === null) return Infinity
  if (duration === undefined || duration === 0) return undefined
  return Math.min(time + duration, Number.MAX_VALUE)
}

/** The earliest time at which a period of this class may have begun if it reaches `time`. */
export function getEarliestStart(span: number, time: number): number {
  if (span === runningClass) return -Infinity
  const length = 2 ** span
  // Doubles round: a little more costs nothing, since ends are compared anyway.
  return time - length - (Math.abs(time) + length) * 1e-12
}

/** The classes that occur in one file, kept in memory; one too many does no harm. */
export class DurationClasses {
  #classes: Set<number> | undefined

  constructor(private readonly db: Database) {}

  add(span: number): void {
    this.#load().add(span)
  }

  /** Drops what is remembered. */
  invalidate(): void {
    this.#classes = undefined
  }

  /** All classes, in no particular order. */
  list(): number[] {
    return [...this.#load()]
  }

  /** From class to class with one seek each, however many periods there are. */
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
