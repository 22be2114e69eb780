/**
 * Indexes words by place (set of streams) as well, for callers that do not see all events.
 * (docs/decisions/0018-search-in-texts.md)
 */
import type { Database } from 'better-sqlite3'
import { recreateTextTables } from '../../texts/tables.js'

/** The index is created empty: events are indexed once the file is in use. Until then searches read them one by one. */
export function textPlaces(db: Database): void {
  recreateTextTables(db)
}
