/**
 * Places of texts: each is a set of streams that events are in, so that whether an event may be read depends on its place
 * alone. An event in several streams is in one place of its own kind, which one of these streams may hide.
 * (docs/decisions/0018-search-in-texts.md)
 */
import type { Database } from 'better-sqlite3'
import { createRowTest, type StreamsCriteria } from '../event-query/query.js'
import { column, statement } from '../sqlite/statements.js'

/** Places that there are at most, and characters of their lists of streams: a search looks at all of them. */
const maxPlaces = 1000
const maxListLength = 200
/** Work of finding out which places are wanted, as `Effort` counts it: a millisecond or two. */
const maxWork = 50_000

/** Streams as a row of `event` has them. */
export interface StreamSet {
  readonly stream: number
  readonly others: string | null
}

interface Place extends StreamSet {
  readonly number: number
}

/** The place of events in these streams; `null` if they are many, or if there are too many places. */
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

/** Follows streams that lose all their events: to another one, or to none. What leads to texts stays as it is. */
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

/** The numbers of the places whose events meet criteria; `undefined` where it takes long to find out. */
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
