/**
 * What FTS5 leaves of words that it has taken out, though it is told to delete securely: each page of its index is found by
 * the beginning of the word that stood first on it. Pages that are merged are found by words that are still there.
 * (docs/decisions/0018-search-in-texts.md)
 */
import type { Database } from 'better-sqlite3'
import { column, statement } from '../sqlite/statements.js'
import { parseWord } from '../texts/tables.js'

/** Pages that one step merges: a few milliseconds. */
const maxPagesPerStep = 64
/** What keys begin with; others would be of indexes of beginnings, of which there are none. */
const mainIndexPrefix = '0'

/**
 * Whether a page is found by the beginning of one of these words, with which no word begins any more. `gone` holds words by
 * themselves and with places: of the latter only those count whose word is gone from all places. Pages are looked up for all
 * of them, held elsewhere or not: otherwise the time of a write would tell what stands in other texts.
 */
export function leavesPageKeys(db: Database, removed: readonly string[]): boolean {
  const next = column(db, 'SELECT term FROM event_vocabulary WHERE term >= CAST(? AS TEXT) LIMIT 1')
  // Asking for a word has SQLite write what it has been told so far.
  next.get(Buffer.alloc(0))
  const segments = listSegments(db)
  const words = new Set(removed.filter(term => parseWord(term) === term))
  return removed.some(term => {
    const word = parseWord(term)
    // The text itself holds it on, in another place.
    if (!words.has(word)) return false
    const beginning = findLongestKey(db, segments, Buffer.from(mainIndexPrefix + term)).subarray(1)
    if (beginning.length === 0) return false
    // A word that begins with it begins with all shorter ones, too.
    const found = next.get(beginning) as string | undefined
    if (found !== undefined && Buffer.from(found).subarray(0, beginning.length).equals(beginning))
      return false
    return word === term || next.get(Buffer.from(word)) !== word
  })
}

/** The parts of the index, each with pages of its own. */
function listSegments(db: Database): number[] {
  const next = column(db, 'SELECT min(segid) FROM event_word_idx WHERE segid > ?')
  const segments: number[] = []
  for (let at = next.get(0) as number | null; at !== null; at = next.get(at) as number | null)
    segments.push(at)
  return segments
}

/** The longest of the keys of pages that are beginnings of a key; the index alone if there is none. */
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
      // Of those before it only one that is a beginning of both may be a beginning of the key.
      at = same
    }
  return key.subarray(0, longest)
}

/** How many bytes two keys begin with alike. */
function countCommonBytes(a: Buffer, b: Buffer): number {
  let count = 0
  while (count < a.length && count < b.length && a[count] === b[count]) count++
  return count
}

/** Merges some pages of the index; answers whether there are more. `begin`: whether all of it is to be merged from now on. */
export function mergePages(db: Database, isFirst: boolean): boolean {
  const changes = column(db, 'SELECT total_changes()')
  const before = changes.get() as number
  statement(db, "INSERT INTO event_word (event_word, rank) VALUES ('merge', ?)").run(
    isFirst ? -maxPagesPerStep : maxPagesPerStep
  )
  // As SQLite's documentation has it: the command itself is one.
  return (changes.get() as number) - before >= 2
}
