/**
 * The events of a few streams, for a search by a caller that sees no others: testing each is faster than scanning all
 * texts. Which way is taken, and how long it takes, depends only on what the caller may read, and on the number of all
 * texts.
 */
import type { Database } from 'better-sqlite3'
import type { Key } from '../event-query/position.js'
import type { EventQuery } from '../event-query/query.js'
import { column, raw } from '../sqlite/statements.js'

/** Maximum number of events that are tested one by one, and maximum number of streams in which such events are searched. */
const maxEvents = 20_000
const maxStreams = 1000
/** Number of texts between two checks of the time. */
const checkInterval = 16

/**
 * The keys of the events of streams, each once and in no order; `isUnconditional`: whether only the words remain to be
 * tested.
 */
export interface StreamKeys {
  readonly keys: readonly Key[]
  readonly isUnconditional: boolean
}

type Row = [time: number, number: number, home: number | null]

/**
 * Lists all events of the streams that a query searches. `undefined` if that does not pay: the query searches
 * all streams or has a time range, there are too many streams or events, or fewer texts than events in the
 * streams.
 */
export function listKeysInStreams(db: Database, query: EventQuery): StreamKeys | undefined {
  const { from, isRunning, modifiedSince, streams, to, trashed, types } = query
  if (!streams || from !== undefined || to !== undefined || isRunning) return undefined
  const named = new Set<number>()
  for (const { any } of streams) {
    if (!any) return undefined
    for (const stream of any) named.add(stream)
  }
  if (named.size > maxStreams) return undefined
  const sql = 'SELECT time, event, home FROM event_stream WHERE stream = ? AND trashed = ? LIMIT +?'
  const times = new Map<number, number>()
  let count = 0
  let areAlone = true
  for (const stream of named)
    for (const state of trashed) {
      const rows = raw(db, sql).all(stream, state, maxEvents + 1 - count) as Row[]
      for (const [time, number, home] of rows) {
        times.set(number, time)
        if (home !== null) areAlone = false
      }
      count += rows.length
      if (count > maxEvents) return undefined
    }
  const texts = column(db, 'SELECT count(*) FROM (SELECT 1 FROM event_text LIMIT +?)').get(times.size)
  if ((texts as number) < times.size) return undefined
  const isPlain = streams.every(({ all, not }) => all.length === 0 && not.size === 0)
  return {
    keys: Array.from(times, ([number, time]) => ({ time, number })),
    // An event in several streams has to meet conditions on the other ones, too.
    isUnconditional: isPlain && areAlone && !types && modifiedSince === undefined
  }
}

/**
 * Returns the next keys whose texts contain all words, and how many were scanned: until a time, or until `limit` were
 * found.
 */
export function filterKeysByWords(
  db: Database,
  keys: readonly Key[],
  words: readonly string[],
  { limit, untilMs }: { readonly limit: number; readonly untilMs: number }
): { readonly found: Key[]; readonly scanned: number } {
  const selectWords = column(db, 'SELECT words FROM event_text WHERE start = ? AND event = ?')
  const patterns = words.map(word => ` ${word}`)
  const found: Key[] = []
  let index = 0
  do {
    const key = keys[index++]!
    const text = selectWords.get(key.time, key.number) as string | undefined
    if (text !== undefined && patterns.every(word => text.includes(word))) found.push(key)
  } while (
    index < keys.length &&
    found.length < limit &&
    (index % checkInterval > 0 || performance.now() < untilMs)
  )
  return { found, scanned: index }
}
