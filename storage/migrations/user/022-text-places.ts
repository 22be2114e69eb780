/** Words lead to events stream by stream, too, for who does not see all of them. (docs/decisions/0018-search-in-texts.md) */
import type { Database } from 'better-sqlite3'
import { recreateTextTables } from '../../texts/tables.js'

/** The index begins empty: it follows once the file is in use, and all is found meanwhile. */
export function textPlaces(db: Database): void {
  recreateTextTables(db)
}
