/**
 * Finds events by words in places that the caller may read, for callers that do not see everything. Nothing else of the
 * index is read, so that the duration reveals nothing of other texts. (docs/decisions/0018-search-in-texts.md)
 */
import type { Database } from 'better-sqlite3'
import type { EventQuery, TextSearch } from '../event-query/query.js'
import { column } from '../sqlite/statements.js'
import { formatPlacedWord } from '../texts/tables.js'
import { wordEnd, maxTriedWords } from './text-lane.js'
import { findMatchingPlaces } from './text-places.js'

/** Maximum number of places that are looked up one by one: 8 ms. */
const maxPlaces = 240
/** Maximum number of lookups for all words together: a frequent word is abandoned early, and another one is tried. */
const maxLookups = 360
/** Maximum number of events found; with more it is faster to scan all texts. */
const maxFound = 1000
/** Texts within the time range per place to be looked up: with fewer a scan is faster. */
const textsPerPlace = 50

/**
 * Returns the numbers of all events that may have these words and meet the query's conditions on streams, and of some
 * others; `undefined` if they are many, or if scanning all texts is faster.
 */
export function findInPlaces(db: Database, query: EventQuery, { words }: TextSearch): number[] | undefined {
  const places = findMatchingPlaces(db, query.streams)
  if (!places || places.length > maxPlaces || !isWorthwhile(db, query, places.length)) return undefined
  const unplaced = column(
    db,
    'SELECT event FROM event_text INDEXED BY event_text_unplaced WHERE place IS NULL LIMIT +?'
  ).all(maxFound + 1) as number[]
  if (unplaced.length > maxFound) return undefined
  let lookups = 0
  for (const word of words.slice(0, maxTriedWords)) {
    if (lookups + places.length > maxLookups) return undefined
    const { count, found } = findByWord(db, places, word)
    if (found) return [...found, ...unplaced]
    lookups += count
  }
  return undefined
}

/** Finds the events with a word, unless they are many; `count`: the number of lookups. */
function findByWord(
  db: Database,
  places: readonly number[],
  word: string
): { readonly found: Set<number> | undefined; readonly count: number } {
  const sql = 'SELECT doc FROM event_vocabulary WHERE term >= ? AND term < ? LIMIT +?'
  const found = new Set<number>()
  let left = maxFound + 1
  for (const [index, place] of places.entries()) {
    const start = formatPlacedWord(word, place)
    const events = column(db, sql).all(start, start + wordEnd, left) as number[]
    left -= events.length
    if (left === 0) return { found: undefined, count: index + 1 }
    for (const number of events) found.add(number)
  }
  return { found, count: places.length }
}

function isWorthwhile(db: Database, { from, to }: EventQuery, places: number): boolean {
  const threshold = places * textsPerPlace
  const sql = 'SELECT count(*) FROM (SELECT 1 FROM event_text WHERE start BETWEEN ? AND ? LIMIT +?)'
  return (column(db, sql).get(from ?? -Infinity, to ?? Infinity, threshold) as number) === threshold
}
