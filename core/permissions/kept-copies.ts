/** Whether copies of other accounts' data may still be read. (docs/api/mirrors.md#ends) */
import type { UserStore } from '../../storage/user/user-store.js'
import { fail } from '../errors.js'
import { getRootOfCopy } from '../system-ids.js'

/** Requires that none of the copied streams with these ids is being erased. Error: `unknown-referenced-resource`. */
export function assertKept({ mirrors }: UserStore, copies: readonly string[]): void {
  const gone = copies.filter(id => mirrors.isEnding(getRootOfCopy(id)))
  if (gone.length > 0) refuseErased(gone)
}

/** The copies that a response reads while it is being sent. */
export class CopiesInUse {
  readonly #ids = new Set<string>()
  /** Time of the latest deletion of a stream before the first copy was read, or the last check, in seconds. */
  #since = 0

  /** Notes that a call has read copied streams. */
  add({ deletions, streams }: UserStore, copies: readonly string[] = []): void {
    if (this.#ids.size === 0 && copies.length > 0) this.#since = deletions.lastOfStream
    for (const id of copies) if (streams.find(id)) this.#ids.add(id)
  }

  /**
   * Requires that nothing of the copies has been erased with its streams since they were first read, and that none is being
   * erased: what is left to send may be of those, or the list may lack their events. Error: `unknown-referenced-resource`.
   */
  assertKept(store: UserStore): void {
    if (this.#ids.size === 0) return
    assertKept(store, [...this.#ids])
    const erased = store.deletions.findErased(this.#since, this.#ids)
    if (erased !== undefined) refuseErased([erased])
    // Records that have been read are not read again before the next page.
    this.#since = store.deletions.lastOfStream
  }
}

function refuseErased(streams: readonly string[]): never {
  const named = streams.slice(0, 10).map(id => id.slice(0, 100))
  fail('unknown-referenced-resource', `Unknown streams: ${named.join(', ')}`, { streams })
}
