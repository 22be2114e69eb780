/** The search in texts: what can be found, in order of time, and the words that lead there. (docs/decisions/0018-search-in-texts.md) */
import type { Database } from 'better-sqlite3'
import { textTables } from '../../texts/tables.js'

/** Empty: it follows once the file is in use. */
export function textSearch(db: Database): void {
  db.exec(textTables)
}
