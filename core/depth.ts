/** A cap on nesting, checked before anything recurses. (security: deep JSON) */
import { fail } from './errors.js'

/** Raises `invalid-parameters-format` for a value nested deeper than `limit`. */
export function mustBeShallow(value: unknown, limit: number): void {
  if (!isShallow(value, limit))
    fail('invalid-parameters-format', `The parameters are nested deeper than ${limit} levels.`)
}

/** Whether a value is nested `limit` levels deep at most. Walks without recursion. */
export function isShallow(value: unknown, limit: number): boolean {
  let level: object[] = isNested(value) ? [value] : []
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > limit) return false
    const below: object[] = []
    for (const item of level) {
      const values = Array.isArray(item) ? (item as unknown[]) : Object.values(item)
      for (let index = 0; index < values.length; index++) {
        const inner = values[index]
        if (isNested(inner)) below.push(inner)
      }
    }
    level = below
  }
  return true
}

function isNested(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
