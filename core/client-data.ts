/** `clientData`: keys of the client's own, merged key by key. (service.md, Supporting structures) */
import type { KeyValue } from '../schemas/scalars.js'

/**
 * What is kept after a change: keys given replace those there, `null` deletes one, the others stay; `null` for the
 * whole unsets it. Keys are never assigned one by one: `__proto__` is a key like any other.
 */
export function mergedClientData(
  kept: KeyValue | undefined,
  change: KeyValue | null | undefined
): KeyValue | undefined {
  if (change === undefined) return kept
  if (change === null) return undefined
  // As it is on creation, mostly.
  if (!kept && !Object.values(change).includes(null)) return change
  return Object.fromEntries(Object.entries({ ...kept, ...change }).filter(([, value]) => value !== null))
}
