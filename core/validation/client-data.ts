/** `clientData`: keys of the client's own, merged key by key. (docs/spec/conventions.md#client-data) */
import type { KeyValue } from '../../schemas/scalars.js'
import { fail } from '../errors.js'

/** A call, as far as it is about the settings. */
interface WithConfig {
  readonly core: { readonly config: { readonly limits: { readonly bodyBytes: number } } }
}

/**
 * What is kept after a change: keys given replace those there, `null` deletes one, the others stay; `null` for the
 * whole unsets it. Keys are never assigned one by one: `__proto__` is a key like any other.
 */
export function mergedClientData(
  call: WithConfig,
  kept: KeyValue | undefined,
  change: KeyValue | null | undefined
): KeyValue | undefined {
  if (change === undefined) return kept
  if (change === null) return undefined
  const merged = Object.fromEntries(
    Object.entries({ ...kept, ...change }).filter(([, value]) => value !== null)
  )
  if (kept) mustNotOutgrow(call, merged, 'clientData')
  return merged
}

/**
 * Raises `invalid-operation` for what has been put together from more than a body can hold: call by call it would grow
 * until nobody could read it any more.
 */
export function mustNotOutgrow({ core }: WithConfig, value: KeyValue, what: string): void {
  const { bodyBytes } = core.config.limits
  if (JSON.stringify(value).length > bodyBytes)
    fail('invalid-operation', `${what} can hold ${bodyBytes} characters: this would be more`)
}
