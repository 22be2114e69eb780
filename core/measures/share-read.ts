/** Which reads of measures share what they read. */
import type { SharedKey } from '../../storage/measures/shared-runs.js'
import type { Call } from '../call/method.js'

/**
 * Returns the key of a read; `undefined` if it may not be shared. `scope`: see `describeMeasureScope`. `parts`: all else that the result
 * depends on, except data, and what belongs to the account: see `UserStore.version`.
 */
export function createSharedKey(
  { caller, store }: Call,
  scope: string,
  parts: readonly unknown[]
): SharedKey | undefined {
  // What a transaction has written may be rolled back.
  if (store.isInTransaction) return undefined
  return { version: store.version, text: JSON.stringify([caller.accessId, scope, ...parts]) }
}
