/** A cap on nesting, and on numbers, checked before anything recurses. (security: deep JSON, odd input) */
import { fail } from './errors.js'

/**
 * Raises `invalid-parameters-format` for a value nested deeper than `limit`, or of more than `most` objects and arrays. Answers whether its numbers are finite: JSON
 * may hold `1e400`, which would be kept as `null`.
 */
export function mustBeShallow(value: unknown, limit: number, most = Infinity): boolean {
  const { hasFinite, isShallow: holds, isLarge } = look(value, limit, most)
  if (isLarge) fail('invalid-parameters-format', `The parameters hold more than ${most} objects and arrays.`)
  if (!holds) fail('invalid-parameters-format', `The parameters are nested deeper than ${limit} levels.`)
  return hasFinite
}

/** Whether a value is nested `limit` levels deep at most. */
export function isShallow(value: unknown, limit: number): boolean {
  return look(value, limit).isShallow
}

interface Look {
  readonly isShallow: boolean
  readonly isLarge: boolean
  readonly hasFinite: boolean
}

/** Walks a value without recursion. */
function look(value: unknown, limit: number, most = Infinity): Look {
  let hasFinite = true
  let count = 0
  let level: object[] = isNested(value) ? [value] : []
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > limit) return { isShallow: false, isLarge: false, hasFinite }
    if ((count += level.length) > most) return { isShallow: true, isLarge: true, hasFinite }
    const below: object[] = []
    for (const item of level) {
      const values = Array.isArray(item) ? (item as unknown[]) : Object.values(item)
      for (let index = 0; index < values.length; index++) {
        const inner = values[index]
        if (isNested(inner)) below.push(inner)
        else if (inner === Infinity || inner === -Infinity) hasFinite = false
      }
    }
    level = below
  }
  return { isShallow: true, isLarge: false, hasFinite }
}

function isNested(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
