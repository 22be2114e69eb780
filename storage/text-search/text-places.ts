/**
 * Places of texts: each is a set of streams, so that whether an event may be read depends on its place alone. Events
 * with the same set of streams share a place. (docs/decisions/0018-search-in-texts.md)
 */
import type { Database } from 'better-sqlite3'
import { createRowTest, type StreamsCriteria } from '../event-query/query.js'
import { column, statement } from '../sqlite/statements.js'

/** Maximum number of places, and maximum length of their lists of streams in characters: a search reads all of them. */
const maxPlaces = 1000
const maxListLength = 200
/** Maximum work of matching places, in units of `QueryBudget`: one or two milliseconds. */
const maxWork = 50_000

/** The streams of a row of `event`. */
export interface StreamSet {
  readonly stream: number
  readonly others: string | null
}

interface Place extends StreamSet {
  readonly number: number
}

/**
 * Returns the number of the place for events in these streams, adding it if needed; `null` if there are too many streams or
 * places.
 */
export function ensurePlace(db: Database, streams: StreamSet): number | null {
  const set = toSortedSet(streams)
  if (!set) return null
  const find = column(db, 'SELECT number FROM event_place WHERE stream = ? AND others IS ? LIMIT 1')
  const found = find.get(set.stream, set.others) as number | undefined
  if (found !== undefined) return found
  const count = column(db, 'SELECT count(*) FROM event_place').get() as number
  if (count >= maxPlaces) return null
  const insert = statement(db, 'INSERT INTO event_place (stream, others) VALUES (?, ?)')
  return Number(insert.run(set.stream, set.others).lastInsertRowid)
}

/** Updates places after streams have lost all their events to another one, or entirely. The indexed words are unchanged. */
export function movePlaces(db: Database, from: readonly number[], to: number | undefined): void {
  const gone = new Set(from)
  for (const place of readPlaces(db)) {
    const streams = listNumbers(place)
    const remaining = streams.filter(stream => !gone.has(stream))
    if (remaining.length === streams.length) continue
    const [stream, ...others] = sortDistinct(to === undefined ? remaining : [...remaining, to])
    if (stream === undefined) statement(db, 'DELETE FROM event_place WHERE number = ?').run(place.number)
    else
      statement(db, 'UPDATE event_place SET stream = ?, others = ? WHERE number = ?').run(
        stream,
        others.length > 0 ? JSON.stringify(others) : null,
        place.number
      )
  }
}

/** Finds the numbers of the places whose events meet criteria; `undefined` if that exceeds the work limit. */
export function findMatchingPlaces(
  db: Database,
  streams: readonly StreamsCriteria[] | undefined
): number[] | undefined {
  const test = createRowTest({ streams, types: undefined })
  const places = readPlaces(db)
  if (!test) return places.map(({ number }) => number)
  if (places.length * test.work > maxWork) return undefined
  return places.filter(({ others, stream }) => test.matches(stream, others, 0)).map(({ number }) => number)
}

function readPlaces(db: Database): Place[] {
  return statement(db, 'SELECT number, stream, others FROM event_place ORDER BY number').all() as Place[]
}

/** Returns the streams in ascending order, each once; `undefined` if they are too many. */
function toSortedSet(streams: StreamSet): StreamSet | undefined {
  if (streams.others === null) return streams
  if (streams.others.length > maxListLength) return undefined
  const [stream, ...others] = sortDistinct(listNumbers(streams))
  return { stream: stream!, others: others.length > 0 ? JSON.stringify(others) : null }
}

function listNumbers({ others, stream }: StreamSet): number[] {
  return others === null ? [stream] : [stream, ...(JSON.parse(others) as number[])]
}

function sortDistinct(numbers: readonly number[]): number[] {
  return [...new Set(numbers)].toSorted((a, b) => a - b)
}
