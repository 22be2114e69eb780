/** The conditions of an audit query. Accesses and actions are given by their numbers (storage/audit/words.ts). */
import type { AuditRow } from './record.js'

/** Numbers of accesses and actions (see words.ts); `undefined` matches every record. */
export type AuditNumbers = ReadonlySet<number> | undefined

/** Conditions that a record must all meet. */
export interface AuditCriteria {
  readonly any: AuditNumbers
  readonly all: readonly AuditNumbers[]
  readonly not: ReadonlySet<number>
}

/** Returns whether a record meets at least one of the criteria; false if there are no criteria. */
export function matchesCriteria({ access, action }: AuditRow, criteria: readonly AuditCriteria[]): boolean {
  const isIn = (words: AuditNumbers): boolean => !words || words.has(access) || words.has(action)
  return criteria.some(
    ({ any, all, not }) => isIn(any) && all.every(isIn) && !not.has(access) && !not.has(action)
  )
}

/**
 * Returns the words that drive an index scan: every match has at least one of them. Picks the rarest; `undefined` if a
 * full scan is needed. `frequency` returns how often words occur.
 */
export function chooseIndexWords(
  criteria: readonly AuditCriteria[],
  frequency: (words: readonly number[]) => number
): readonly number[] | undefined {
  const sets = criteria.map(({ any, all }) => {
    const known = [any, ...all].flatMap(words => (words ? [[...words]] : []))
    return known.length < 2 ? known[0] : known.toSorted((a, b) => frequency(a) - frequency(b))[0]
  })
  return sets.includes(undefined) ? undefined : [...new Set(sets.flatMap(words => words ?? []))]
}
