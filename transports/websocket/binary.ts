/** Finds binary data in the params of calls, which take none. */
import { maxControlPacketLength } from './packet-decoder.js'

/**
 * Returns whether a value contains binary data. Text that accompanies binary data is short, so a value with more parts than such a
 * text has characters contains none. Iterative, since values may be nested deeply.
 */
export function containsBinary(value: unknown): boolean {
  const values: unknown[] = [value]
  for (const item of values) {
    if (typeof item !== 'object' || item === null) continue
    if (ArrayBuffer.isView(item) || item instanceof ArrayBuffer) return true
    if (Array.isArray(item) && item.length > maxControlPacketLength) return false
    const inner: unknown[] = Object.values(item)
    if (values.length + inner.length > maxControlPacketLength) return false
    for (const part of inner) values.push(part)
  }
  return false
}
