/** Which reads of measures share what they read. */
import { createHash } from 'node:crypto'
import type { SharedKey } from '../../storage/measures/shared-runs.js'
import type { Call } from '../call/method.js'

/** Length of a key that is kept as it is, in characters: scopes of many streams are long. */
const maxKeyLength = 1000

/**
 * Returns the key of a read; `undefined` if it may not be shared, as within a transaction. `scope`: see
 * `describeMeasureScope`. `parts`: all else that the result depends on, except data, and what belongs to the
 * account: see `UserStore.version`.
 */
export function createSharedKey(
  { caller, store }: Call,
  scope: string,
  parts: readonly unknown[]
): SharedKey | undefined {
  // What a transaction has written may be rolled back.
  if (store.isInTransaction) return undefined
  const text = JSON.stringify([caller.accessId, scope, ...parts])
  return {
    version: store.version,
    text: text.length > maxKeyLength ? createHash('sha256').update(text).digest('base64url') : text
  }
}
