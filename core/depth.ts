/** A cap on nesting, checked before anything recurses. (security: deep JSON) */
import { fail } from './errors.js'

/** Raises `invalid-parameters-format` for a value nested deeper than `limit`. Walks without recursion. */
export function mustBeShallow(value: unknown, limit: number): void {
  let level: object[] = isNested(value) ? [value] : []
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > limit)
      fail('invalid-parameters-format', `The parameters are nested deeper than ${limit} levels.`)
    const below: object[] = []
    // Arrays are walked by index: a series has hundreds of thousands of short ones.
    for (const item of level)
      for (const inner of Array.isArray(item) ? (item as unknown[]) : Object.values(item))
        if (isNested(inner)) below.push(inner)
    level = below
  }
}

function isNested(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
