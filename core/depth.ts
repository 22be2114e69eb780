/** A cap on nesting, and on numbers, checked before anything recurses. (security: deep JSON, odd input) */
import { fail } from './errors.js'

/**
 * Raises `invalid-parameters-format` for a value nested deeper than `limit`. Answers whether its numbers are finite: JSON
 * may hold `1e400`, which would be kept as `null`.
 */
export function mustBeShallow(value: unknown, limit: number): boolean {
  const { hasFinite, isShallow: holds } = look(value, limit)
  if (!holds) fail('invalid-parameters-format', `The parameters are nested deeper than ${limit} levels.`)
  return hasFinite
}

/** Whether a value is nested `limit` levels deep at most. */
export function isShallow(value: unknown, limit: number): boolean {
  return look(value, limit).isShallow
}

/** Walks a value without recursion. */
function look(value: unknown, limit: number): { isShallow: boolean; hasFinite: boolean } {
  let hasFinite = true
  let level: object[] = isNested(value) ? [value] : []
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > limit) return { isShallow: false, hasFinite }
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
  return { isShallow: true, hasFinite }
}

function isNested(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
