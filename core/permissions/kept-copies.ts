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
  /** Time of the latest deletion of a stream before the first copy was read, in seconds. */
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
    const deletions = store.streams.listDeletionsSince(this.#since)
    const erased = deletions.filter(({ path }) => path.some(id => this.#ids.has(id))).map(({ id }) => id)
    if (erased.length > 0) refuseErased(erased)
  }
}

function refuseErased(streams: readonly string[]): never {
  const named = streams.slice(0, 10).map(id => id.slice(0, 100))
  fail('unknown-referenced-resource', `Unknown streams: ${named.join(', ')}`, { streams })
}
