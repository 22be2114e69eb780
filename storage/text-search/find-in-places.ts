/**
 * Events that words lead to in places that may be read: for who does not see everything. Nothing else of the index is looked
 * at, so how long it takes tells nothing of what stands in other texts. (docs/decisions/0018-search-in-texts.md)
 */
import type { Database } from 'better-sqlite3'
import type { EventQuery, TextSearch } from '../event-query/query.js'
import { column } from '../sqlite/statements.js'
import { formatPlacedWord } from '../texts/tables.js'
import { wordEnd, maxTriedWords } from './text-lane.js'
import { findMatchingPlaces } from './text-places.js'

/** Places that are asked, one by one: 8 ms. */
const maxPlaces = 240
/** Times that places are asked for all words together: a frequent word is given up soon, and another one is tried. */
const maxLookups = 360
/** Events that words may lead to; with more some are soon found among all texts. */
const maxFound = 1000
/** Texts within the times of a query for each place that is asked: with fewer it is quicker to go through them. */
const textsPerPlace = 50

/**
 * Returns the numbers of all events that may have these words and meet the query's criteria on streams, and of some others;
 * `undefined` if they are many, or where it is quicker to go through all texts.
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

/** The events that a word leads to, unless they are many; `count`: how many places have been asked. */
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
