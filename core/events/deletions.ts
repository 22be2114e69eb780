/** The deletions of events that a caller may know of, as a list. (docs/spec/events.md#deletions-since) */
import type { EventDeletion } from '../../storage/repositories/event-history.js'
import type { Listing } from '../json/json-text.js'
import type { Reader } from '../call/reader.js'

export interface DeletionsQuery {
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
