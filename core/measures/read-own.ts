/** Reads properties whose names come from clients: inherited ones do not count. */

/** Returns an own property; `undefined` if there is none, or for values that are not objects. */
export function readOwn(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? (value as Record<string, unknown>)[key]
    : undefined
}
