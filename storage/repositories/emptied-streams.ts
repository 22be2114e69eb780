/**
 * Takes all events out of streams, a great many at a time: rows in the order in which they lie in the file, links to
 * streams all at once. One by one, in the order of their time, a hundred thousand take four times as long.
 */
import type { Database } from 'better-sqlite3'
import type { Event } from '../../schemas/event.js'
import type { Digests } from './policies.js'
import { raw, statement } from '../sqlite/statements.js'
import type { Steps } from '../steps.js'
import type { AttachmentRepository } from './attachments.js'
import type { EventHistory } from './event-history.js'
import { toBody, toRow, type EventRow } from './event-row.js'
import { pathsText } from './paths-text.js'
import type { StreamRepository } from './streams.js'

/** What becomes of an event: it stays in other streams, or it is deleted at a time. */
export type Settled = Event | { readonly deleted: number }

export interface Emptying {
  /** Numbers of the streams that lose their events. */
  readonly from: readonly number[]
  /** Number of the stream that gets them, if one does. */
  readonly to: number | undefined
  /** Called once for each event, trashed or not. An event that stays is in `to`, and in none of `from`. */
  readonly settle: (event: Event) => Settled
}

/** Links of one step. */
const pageSize = 500
/** Numbers that are sorted in one step at most. */
const bucketSize = 65_536

interface Row {
  readonly body: string
  readonly stream: number
  readonly others: string | null
}

/** What emptying needs of the file beside its rows. */
export interface Surroundings {
  readonly streams: StreamRepository
  readonly history: EventHistory
  readonly attachments: AttachmentRepository
  readonly seals: Digests
  /** Told of events that stay, as they are kept from now on. */
  readonly note: (row: EventRow) => void
}

/** Empties streams. */
export function* emptyStreams(
  db: Database,
  around: Surroundings,
  { from, settle, to }: Emptying
): Steps<void> {
  const { attachments, history, note, streams } = around
  const paths = new Map<string, string>()
  const find = statement(db, 'SELECT body, stream, others FROM event WHERE number = ?')
  for (const number of yield* numbersIn(db, from)) {
    yield
    const row = find.get(number) as Row
    const event = JSON.parse(row.body) as Event
    const settled = settle(event)
    if (!('deleted' in settled)) {
      if (history.isKept) history.keep(event.id, pathsOf(streams, row, paths))
      note(replace(db, around, number, settled))
      continue
    }
    history.bury(event, settled.deleted, pathsOf(streams, row, paths))
    if (event.attachments) attachments.replace(number, [])
    statement(db, 'DELETE FROM event WHERE number = ?').run(number)
  }
  for (const stream of from) yield* moveLinks(db, stream, to)
}

/** Where in a stream an event is linked. */
type Link = readonly [trashed: number, time: number, event: number]

/** The numbers of all events of streams, ascending, each once. */
function* numbersIn(db: Database, streams: readonly number[]): Steps<Iterable<number>> {
  const buckets = new Map<number, number[]>()
  const sql = `SELECT trashed, time, event FROM event_stream
    WHERE stream = ? AND (trashed, time, event) > (?, ?, ?) ORDER BY trashed, time, event LIMIT ${pageSize}`
  for (const stream of streams)
    for (let last: Link | undefined = [-1, 0, 0]; last;) {
      const page = raw(db, sql).all(stream, ...last) as Link[]
      for (const [, , event] of page) {
        const place = Math.floor(event / bucketSize)
        const bucket = buckets.get(place)
        if (bucket) bucket.push(event)
        else buckets.set(place, [event])
      }
      last = page.length < pageSize ? undefined : page.at(-1)
      yield
    }
  return ascending(buckets)
}

/** Numbers that lie in buckets by their size: sorting a million at once would take a while. */
function* ascending(buckets: ReadonlyMap<number, readonly number[]>): Generator<number, void, undefined> {
  for (const place of [...buckets.keys()].toSorted((a, b) => a - b))
    yield* new Set(Float64Array.from(buckets.get(place)!).toSorted())
}

/** Writes only what changes, and spares the indexes of the rest. */
function replace(db: Database, { seals, streams }: Surroundings, number: number, event: Event): EventRow {
  const numbers = event.streamIds.map(id => streams.numberOf(id))
  const row = toRow(event, numbers, toBody(event, seals))
  const sql = 'UPDATE event SET modified = ?, stream = ?, others = ?, large = ?, body = ? WHERE number = ?'
  statement(db, sql).run(row.modified, row.stream, row.others, row.large, row.body, number)
  return row
}

/** Characters of paths that are looked up each time: all of them together would fill the memory. */
const longText = 16 * 1024

/** The paths of an event's streams as JSON; `known` by the streams. */
function pathsOf(streams: StreamRepository, { stream, others }: Row, known: Map<string, string>): string {
  const key = `${stream} ${others}`
  let text = known.get(key)
  if (text === undefined) {
    const numbers = [stream, ...(JSON.parse(others ?? '[]') as number[])]
    text = pathsText(streams, numbers)
    if (text.length < longText) known.set(key, text)
  }
  return text
}

function* moveLinks(db: Database, from: number, to: number | undefined): Steps<void> {
  const sql = `SELECT trashed, time, event FROM event_stream
    WHERE stream = ? ORDER BY trashed, time, event LIMIT 1 OFFSET ${pageSize - 1}`
  const range = 'WHERE stream = ? AND (trashed, time, event) <= (?, ?, ?)'
  for (let isLast = false; !isLast;) {
    const end = raw(db, sql).get(from) as Link | undefined
    isLast = !end
    const bounds = end ?? [Infinity, 0, 0]
    if (to !== undefined)
      statement(
        db,
        `INSERT OR IGNORE INTO event_stream (stream, trashed, time, event, span)
          SELECT ?, trashed, time, event, span FROM event_stream ${range}`
      ).run(to, from, ...bounds)
    statement(db, `DELETE FROM event_stream ${range}`).run(from, ...bounds)
    yield
  }
}
