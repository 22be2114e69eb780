/**
 * What FTS5 leaves of words that it has taken out, though it is told to delete securely: each page of its index is found by
 * the beginning of the word that stood first on it. Pages that are merged are found by words that are still there.
 * (docs/decisions/0018-search-in-texts.md)
 */
import type { Database } from 'better-sqlite3'
import { column, statement } from '../sqlite/statements.js'

/** Pages that one step merges: a few milliseconds. */
const stepPages = 64
/** What keys begin with; others would be of indexes of beginnings, of which there are none. */
const mainIndex = '0'

/** Whether a page is found by the beginning of one of these words, with which no word begins any more. */
export function leavesBeginnings(db: Database, gone: readonly string[]): boolean {
  // Asking for a word has SQLite write what it has been told so far.
  const next = column(db, 'SELECT term FROM event_vocabulary WHERE term >= CAST(? AS TEXT) LIMIT 1')
  next.get(Buffer.alloc(0))
  const keys = new Set<string>()
  let longest = 0
  for (const key of column(db, 'SELECT term FROM event_word_idx').all() as Buffer[]) {
    keys.add(key.toString('latin1'))
    longest = Math.max(longest, key.length)
  }
  return gone.some(word => {
    const bytes = Buffer.from(mainIndex + word).subarray(0, longest)
    const text = bytes.toString('latin1')
    for (let length = 2; length <= text.length; length++) {
      if (!keys.has(text.slice(0, length))) continue
      const beginning = bytes.subarray(1, length)
      const found = next.get(beginning) as string | undefined
      if (found === undefined || !Buffer.from(found).subarray(0, beginning.length).equals(beginning))
        return true
    }
    return false
  })
}

/** Merges some pages of the index; answers whether there are more. `begin`: whether all of it is to be merged from now on. */
export function mergePages(db: Database, begin: boolean): boolean {
  const changes = column(db, 'SELECT total_changes()')
  const before = changes.get() as number
  statement(db, "INSERT INTO event_word (event_word, rank) VALUES ('merge', ?)").run(
    begin ? -stepPages : stepPages
  )
  // As SQLite's documentation has it: the command itself is one.
  return (changes.get() as number) - before >= 2
}
