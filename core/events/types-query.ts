/** The `types` parameter of methods that read events. (docs/spec/events.md#reading-a-list) */
import type { UserStore } from '../../storage/user/user-store.js'

/**
 * Returns the numbers of types; `undefined` if no types are named: then all types match. Types that no event
 * has are omitted, so that the numbers may be empty: then no event matches. `class/*` stands for all types of
 * a class.
 */
export function findTypeNumbers(
  { events }: UserStore,
  types: readonly string[] | undefined
): Set<number> | undefined {
  if (!types || types.length === 0) return undefined
  const numbers = new Set<number>()
  for (const type of new Set(types)) {
    const found = type.endsWith('/*') ? events.types.listClass(type.slice(0, -2)) : [events.types.find(type)]
    for (const number of found) if (number !== undefined) numbers.add(number)
  }
  return numbers
}

/** States of events, by the `state` parameter. */
export const trashedByState = { default: [0], trashed: [1], all: [0, 1] } as const
