/** What is asked of records, in numbers of words. */
import type { AuditRow } from './record.js'

/** Numbers of accesses and actions; `undefined`: whatever it is. */
export type AuditNumbers = ReadonlySet<number> | undefined

/** What a record has to meet. */
export interface AuditCriteria {
  readonly any: AuditNumbers
  readonly all: readonly AuditNumbers[]
  readonly not: ReadonlySet<number>
}

/** Whether a record meets one of the criteria. */
export function meets({ access, action }: AuditRow, criteria: readonly AuditCriteria[]): boolean {
  const isIn = (words: AuditNumbers): boolean => !words || words.has(access) || words.has(action)
  return criteria.some(
    ({ any, all, not }) => isIn(any) && all.every(isIn) && !not.has(access) && !not.has(action)
  )
}

/**
 * Words one of which every record that meets the criteria has, as seldom ones as can be; `undefined` if there are no
 * such. `frequency` tells how often words occur.
 */
export function drivers(
  criteria: readonly AuditCriteria[],
  frequency: (words: readonly number[]) => number
): readonly number[] | undefined {
  const sets = criteria.map(({ any, all }) => {
    const known = [any, ...all].flatMap(words => (words ? [[...words]] : []))
    return known.length < 2 ? known[0] : known.toSorted((a, b) => frequency(a) - frequency(b))[0]
  })
  return sets.includes(undefined) ? undefined : [...new Set(sets.flatMap(words => words ?? []))]
}
