/** Finds binary data in the params of calls, which take none. */
import { maxOtherLength } from './decoder.js'

/**
 * Whether a value contains binary data. The text that binary data comes with is short: a value with more parts than that has
 * characters has none. Iterative, since values may be nested deeply.
 */
export function holdsBinary(value: unknown): boolean {
  const found: unknown[] = [value]
  for (const item of found) {
    if (typeof item !== 'object' || item === null) continue
    if (ArrayBuffer.isView(item) || item instanceof ArrayBuffer) return true
    if (Array.isArray(item) && item.length > maxOtherLength) return false
    const inner: unknown[] = Object.values(item)
    if (found.length + inner.length > maxOtherLength) return false
    for (const part of inner) found.push(part)
  }
  return false
}
