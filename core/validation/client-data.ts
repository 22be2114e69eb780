/** `clientData`: the client's own data, merged key by key. (docs/spec/conventions.md#client-data) */
import type { KeyValue } from '../../schemas/scalars.js'
import { fail } from '../errors.js'

/** The parts of a call that are needed here. */
interface LimitsContext {
  readonly services: {
    readonly config: { readonly limits: { readonly bodyBytes: number; readonly clientDataBytes: number } }
  }
}

/**
 * Returns the data after a change: given keys replace existing ones, `null` deletes a key, the others stay;
 * `null` in place of the data removes them all. Keys are never assigned one by one, as `__proto__` is a key
 * like any other. Throws `invalid-operation` if merged data is too large.
 */
export function mergeClientData(
  call: LimitsContext,
  before: KeyValue | undefined,
  change: KeyValue | null | undefined
): KeyValue | undefined {
  if (change === undefined) return before
  if (change === null) return undefined
  if (!before && !Object.values(change).includes(null)) return change
  const merged = Object.fromEntries(
    Object.entries({ ...before, ...change }).filter(([, value]) => value !== null)
  )
  if (before) assertMergedSize(call, merged, 'clientData', before)
  return merged
}

/**
 * Does the same as {@link mergeClientData}, with a lower limit, for items that are read and written as a
 * whole: streams and accesses. Throws `invalid-operation` above the limit.
 */
export function mergeLimitedClientData(
  call: LimitsContext,
  before: KeyValue | undefined,
  change: KeyValue | null | undefined
): KeyValue | undefined {
  const merged = mergeClientData(call, before, change)
  if (change && merged) assertClientDataSize(call, merged, 'clientData', before)
  return merged
}

/**
 * Throws `invalid-operation` for data too large to be read and written as a whole each time. Data that was too large
 * `before` may become smaller.
 */
export function assertClientDataSize(
  call: LimitsContext,
  value: KeyValue,
  what: string,
  before?: KeyValue
): void {
  const { bodyBytes, clientDataBytes } = call.services.config.limits
  assertJsonLength(value, Math.min(bodyBytes, clientDataBytes), what, before)
}

/**
 * Limits data merged from several calls, which could otherwise grow until it can no longer be read. Throws
 * `invalid-operation`; data may become smaller.
 */
function assertMergedSize(
  { services }: LimitsContext,
  value: KeyValue,
  what: string,
  before: KeyValue
): void {
  assertJsonLength(value, services.config.limits.bodyBytes, what, before)
}

function assertJsonLength(value: KeyValue, maxCharacters: number, what: string, before: KeyValue = {}): void {
  const { length } = JSON.stringify(value)
  if (length > maxCharacters && length >= JSON.stringify(before).length)
    fail('invalid-operation', `${what} can have at most ${maxCharacters} characters`)
}
