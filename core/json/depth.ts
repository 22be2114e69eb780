/** Limits on nesting and numbers, checked before anything recurses. (docs/spec/limits.md#json) */
import { fail } from '../errors.js'

/** The measure of a value. */
export interface Measure {
  /** Levels of nesting: 0 for a scalar. */
  readonly depth: number
  /** Objects and arrays, itself among them. */
  readonly containers: number
  /** Whether the numbers in the value are finite: JSON may hold `1e400`, which would be stored as `null`. */
  readonly hasFinite: boolean
}

/** Cached measures of objects and arrays that were read in steps, with the length of their texts. */
const measureCache = new WeakMap<object, Measure & { readonly size: number }>()

/** Caches the measure of a large object or array, which would take long to compute at once. `size`: characters of its JSON. */
export function cacheMeasure(container: object, measured: Measure, size: number): void {
  measureCache.set(container, { ...measured, size })
}

/** Returns the characters of a value's JSON if it is a string, or was long when it was read; 0 for others. */
export function getKnownSize(value: unknown): number {
  if (typeof value === 'string') return value.length
  return isNested(value) ? (measureCache.get(value)?.size ?? 0) : 0
}

/**
 * Throws `invalid-parameters-format` for a value nested deeper than `limit`, or of more than `maxContainers` objects and arrays.
 * Returns whether its numbers are finite: JSON may hold `1e400`, which would be stored as `null`.
 */
export function assertDepth(value: unknown, limit: number, maxContainers = Infinity): boolean {
  const { containers, depth, hasFinite } = measureValue(value, limit, maxContainers)
  if (containers > maxContainers)
    refuseMeasure('ARRAY_LENGTH_LONG', `The parameters contain more than ${maxContainers} objects and arrays`)
  if (depth > limit) refuseNesting(limit)
  return hasFinite
}

/** Throws `invalid-parameters-format` for nesting deeper than `limit`. */
export function refuseNesting(limit: number): never {
  refuseMeasure('NESTING_MAXIMUM', `The parameters are nested deeper than ${limit} levels`)
}

/** Throws `invalid-parameters-format` about the params as a whole. */
export function refuseMeasure(code: string, message: string): never {
  fail('invalid-parameters-format', message, [{ code, message, path: '#' }])
}

/** Returns whether a value is nested at most `limit` levels deep. */
export function isShallow(value: unknown, limit: number): boolean {
  return measureValue(value, limit).depth <= limit
}

/**
 * Measures a value. Not recursive. Stops at the first limit that it exceeds: then only the figure above the
 * limit counts.
 */
export function measureValue(value: unknown, limit = Infinity, maxContainers = Infinity): Measure {
  let hasFinite = true
  let containers = 0
  let deepest = 0
  let level: object[] = isNested(value) ? [value] : []
  for (let depth = 1; level.length > 0; depth++) {
    deepest = Math.max(deepest, depth)
    if (deepest > limit) return { depth: deepest, containers: 0, hasFinite }
    containers += level.length
    if (containers > maxContainers) return { depth: 0, containers, hasFinite }
    const below: object[] = []
    for (const item of level) {
      const before = measureCache.get(item)
      if (before) {
        containers += before.containers - 1
        deepest = Math.max(deepest, depth - 1 + before.depth)
        hasFinite &&= before.hasFinite
        continue
      }
      const values = Array.isArray(item) ? (item as unknown[]) : Object.values(item)
      for (let index = 0; index < values.length; index++) {
        const inner = values[index]
        if (isNested(inner)) below.push(inner)
        else if (inner === Infinity || inner === -Infinity) hasFinite = false
      }
    }
    level = below
  }
  return { depth: deepest, containers, hasFinite }
}

function isNested(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
