/**
 * Finds what FTS5 leaves of removed words, although it is set to delete securely: each page of its index has a key
 * that is the beginning of the first word on it. Merging pages replaces the keys by those of existing words.
 * (docs/decisions/0018-search-in-texts.md)
 */
import type { Database } from 'better-sqlite3'
import { column, statement } from '../sqlite/statements.js'
import { parseWord } from '../texts/tables.js'

/** Maximum number of pages merged per step: a few milliseconds. */
const maxPagesPerStep = 64
/** The prefix of keys of the main index; there are no prefix indexes. */
const mainIndexPrefix = '0'

/**
 * Returns whether the key of a page is still the beginning of a removed word, although no other word begins with it.
 * `removed` holds words with and without places: of those with places only the ones count whose word was removed from all
 * places. Pages are looked up for all of them, even if other texts contain them: otherwise the duration of a write would
 * reveal the contents of other texts.
 */
export function leavesPageKeys(db: Database, removed: readonly string[]): boolean {
  const next = column(db, 'SELECT term FROM event_vocabulary WHERE term >= CAST(? AS TEXT) LIMIT 1')
  // Any query makes SQLite write pending changes.
  next.get(Buffer.alloc(0))
  const segments = listSegments(db)
  const words = new Set(removed.filter(term => parseWord(term) === term))
  return removed.some(term => {
    const word = parseWord(term)
    // The text itself still contains it, in another place.
    if (!words.has(word)) return false
    const beginning = findLongestKey(db, segments, Buffer.from(mainIndexPrefix + term)).subarray(1)
    if (beginning.length === 0) return false
    // A word that begins with it begins with all shorter keys, too.
    const found = next.get(beginning) as string | undefined
    if (found !== undefined && Buffer.from(found).subarray(0, beginning.length).equals(beginning))
      return false
    return word === term || next.get(Buffer.from(word)) !== word
  })
}

/** Lists the segments of the index, each of which has its own pages. */
function listSegments(db: Database): number[] {
  const next = column(db, 'SELECT min(segid) FROM event_word_idx WHERE segid > ?')
  const segments: number[] = []
  for (let at = next.get(0) as number | null; at !== null; at = next.get(at) as number | null)
    segments.push(at)
  return segments
}

/** Returns the longest page key that is a beginning of `key`; only the index prefix if there is none. */
function findLongestKey(db: Database, segments: readonly number[], key: Buffer): Buffer {
  const last = column(
    db,
    'SELECT term FROM event_word_idx WHERE segid = ? AND term <= ? ORDER BY term DESC LIMIT 1'
  )
  let longest = 1
  for (const segment of segments)
    for (let at = key.length; at > longest;) {
      const found = last.get(segment, key.subarray(0, at)) as Buffer | undefined
      const same = found ? countCommonBytes(found, key) : 0
      if (found && same === found.length) longest = Math.max(longest, same)
      // Among the keys before it, only a beginning of both may be a beginning of the key.
      at = same
    }
  return key.subarray(0, longest)
}

/** Counts the bytes at the beginning that two keys have in common. */
function countCommonBytes(a: Buffer, b: Buffer): number {
  let count = 0
  while (count < a.length && count < b.length && a[count] === b[count]) count++
  return count
}

/** Merges some pages of the index. Returns whether there are more. `isFirst`: whether to begin merging the whole index. */
export function mergePages(db: Database, isFirst: boolean): boolean {
  const changes = column(db, 'SELECT total_changes()')
  const before = changes.get() as number
  statement(db, "INSERT INTO event_word (event_word, rank) VALUES ('merge', ?)").run(
    isFirst ? -maxPagesPerStep : maxPagesPerStep
  )
  // According to SQLite's documentation, the command itself counts as one change.
  return (changes.get() as number) - before >= 2
}
