/** The earlier versions of an event that a caller may know of, as a list. (docs/spec/events.md#history) */
import { fail } from '../errors.js'
import { assertReadable } from './event-permissions.js'
import { createPresenter } from './public-event.js'
import type { Listing } from '../json/json-text.js'
import type { Call } from '../call/method.js'
import type { Reader } from '../call/reader.js'

/**
 * Lists versions by time of modification, without those that the caller could not have read at the time: the
 * event may have been moved to a readable stream since. Reading a page throws `forbidden` if the event cannot be read then.
 */
export function listEventVersions(call: Call, id: string): Listing<Reader> {
  let last = -Infinity
  return {
    next(reader) {
      const { caller, store } = reader
      // Permissions are checked again for every page: they may have changed since the event was read.
      assertStillReadable(reader, id)
      const page = store.history.listVersions(id, last)
      last = page.at(-1)?.modified ?? last
      const visible = page.filter(({ modified, paths }) => caller.couldReadEvent(paths, modified))
      const present = createPresenter({ ...call, caller })
      return {
        text: visible.map(({ body }) => present(body)).join(','),
        count: visible.length,
        done: page.length === 0
      }
    }
  }
}

function assertStillReadable(reader: Reader, id: string): void {
  const { caller, store } = reader
  const found = store.series.findHolder(id)
  if (found) assertReadable(reader, found)
  else {
    const { deleted, paths = [] } = store.history.findDeletion(id) ?? {}
    if (!caller.couldReadEvent(paths, deleted)) fail('forbidden')
  }
}
