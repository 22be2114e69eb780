/** The earlier versions of an event, and the deletions of events, that a caller may know of, as lists. (docs/spec/events.md#history) */
import type { EventDeletion } from '../../storage/repositories/event-history.js'
import type { Listing } from '../json/json-text.js'
import type { Reader } from '../call/reader.js'
import { fail } from '../errors.js'
import { assertReadable } from './event-permissions.js'
import { createPresenter } from './public-event.js'
import type { Call } from '../call/method.js'

interface DeletionsQuery {
  /** Only deletions later than this, in seconds. */
  readonly since: number
  readonly isAscending: boolean
  readonly skip: number
  readonly limit: number
}

/** Records read for a page. */
const pageRows = 1000

const emptyPage = { rows: [], done: true }

/**
 * Lists `{id, deleted, integrity}` by time of deletion; restricted accesses get only events that they could have read.
 */
export function listEventDeletions({ since, isAscending, skip, limit }: DeletionsQuery): Listing<Reader> {
  let last: EventDeletion | undefined
  let skipped = 0
  let left = limit
  return {
    next({ caller, store: { history } }) {
      const { done, rows } =
        left === 0 ? emptyPage : history.listDeletionsSince(since, isAscending, last, pageRows)
      last = rows.at(-1)
      const visible = rows.filter(({ deleted, paths }) => caller.couldReadEvent(paths, deleted))
      const toSkip = Math.min(skip - skipped, visible.length)
      skipped += toSkip
      const page = visible.slice(toSkip, toSkip + left)
      left -= page.length
      return {
        text: page.map(({ paths: _paths, ...shown }) => JSON.stringify(shown)).join(','),
        count: page.length,
        done: left === 0 || done
      }
    }
  }
}

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
