/**
 * The events of few streams, for a search by somebody who sees no others: to take up each is quicker than to go through all
 * texts. Which way is taken, and how long it takes, depends on what may be read, and on how many texts there are in all.
 */
import type { Database } from 'better-sqlite3'
import type { Key } from '../event-query/position.js'
import type { EventQuery } from '../event-query/query.js'
import { column, raw } from '../sqlite/statements.js'

/** Events that are taken up one by one, and streams that are asked for them. */
const maxEvents = 20_000
const maxStreams = 1000
/** Texts that are looked at between two looks at the clock. */
const checkInterval = 16

/** Events of streams, each once and in no order; `areFree`: whether all that can be said of them has been asked, but for words. */
export interface StreamKeys {
  readonly keys: readonly Key[]
  readonly isUnconditional: boolean
}

type Row = [time: number, number: number, home: number | null]

/**
 * Returns all events of the streams in which a query looks; `undefined` where it looks in all streams, or within times, or where
 * there are fewer texts than such events.
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
    // Of an event in several streams others are asked for than the one by which it was found.
    isUnconditional: isPlain && areAlone && !types && modifiedSince === undefined
  }
}

/** The next keys whose texts hold all words, and how many have been looked at: until a time, or until there are enough. */
export function filterKeysByWords(
  db: Database,
  keys: readonly Key[],
  words: readonly string[],
  { most: limit, until }: { readonly most: number; readonly until: number }
): { readonly found: Key[]; readonly scanned: number } {
  const selectWords = column(db, 'SELECT words FROM event_text WHERE start = ? AND event = ?')
  const patterns = words.map(word => ` ${word}`)
  const found: Key[] = []
  let index = 0
  do {
    const key = keys[index++]!
    const selectWords = selectWords.get(key.time, key.number) as string | undefined
    if (selectWords !== undefined && patterns.every(word => selectWords.includes(word))) found.push(key)
  } while (
    index < keys.length &&
    found.length < limit &&
    (index % checkInterval > 0 || performance.now() < until)
  )
  return { found, scanned: index }
}
