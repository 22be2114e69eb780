/**
 * Removes all events from streams in bulk: event rows in the order of the file, then all links to streams. Moving a
 * hundred thousand events one by one, by time, takes four times as long.
 */
import type { Database } from 'better-sqlite3'
import type { Event } from '../../schemas/event.js'
import type { Digests } from './policies.js'
import { raw, statement } from '../sqlite/statements.js'
import type { Steps } from '../steps.js'
import type { AttachmentRepository } from './attachments.js'
import type { EventHistory } from './event-history.js'
import { removeChunks } from './event-parts.js'
import { mayHaveText } from '../texts/event-words.js'
import type { EventTexts } from '../text-search/event-texts.js'
import { toBody, toLargeBody, toRow, type EventBody, type EventRow } from './event-row.js'
import { formatPaths } from './format-paths.js'
import type { StreamRepository } from './streams.js'

/** The outcome for an event: its new state in other streams, or its deletion at a time (seconds). */
export type EventOutcome = Event | { readonly deleted: number }

export interface EmptyOptions {
  /** Numbers of the streams that lose their events. */
  readonly from: readonly number[]
  /** Number of the stream that receives the events, if there is one. */
  readonly to: number | undefined
  /** Called once for each event, trashed or not. An event that is kept is in `to`, and in none of `from`. */
  readonly decide: (event: Event) => EventOutcome
}

/** Number of links per step. */
const pageSize = 500
/** Maximum number of event numbers sorted in one step. */
const bucketSize = 65_536
/** Length of events that are written in steps, in characters. */
const largeSize = 256 * 1024

interface Row {
  readonly body: string
  readonly stream: number
  readonly others: string | null
}

/** The repositories and hooks that {@link emptyStreams} uses. */
interface EmptyContext {
  readonly streams: StreamRepository
  readonly history: EventHistory
  readonly attachments: AttachmentRepository
  readonly digests: Digests
  readonly texts: EventTexts
  /** Called with the new row of each event that is kept. */
  readonly onChange: (row: EventRow) => void
}

/**
 * Empties streams, in steps. Records versions and deletions as for single events; attachments of deleted
 * events become orphans.
 */
export function* emptyStreams(
  db: Database,
  context: EmptyContext,
  { from, decide, to }: EmptyOptions
): Steps<void> {
  const { attachments, digests, history, onChange, streams, texts } = context
  const paths = new Map<string, string>()
  texts.beginBulkRemoval()
  const find = statement(db, 'SELECT body, stream, others FROM event WHERE number = ?')
  for (const number of yield* collectNumbers(db, from)) {
    yield
    const row = find.get(number) as Row
    const event = JSON.parse(row.body) as Event
    const outcome = decide(event)
    if (!('deleted' in outcome)) {
      if (history.isEnabled) history.addVersion(event.id, formatEventPaths(streams, row, paths))
      const isLarge = row.body.length > largeSize
      const body = isLarge ? yield* toLargeBody(outcome, digests) : toBody(outcome, digests)
      onChange(replaceRow(db, streams, number, row, outcome, body))
      continue
    }
    yield* history.recordDeletion(event, outcome.deleted, formatEventPaths(streams, row, paths))
    yield* removeChunks(db, number)
    if (event.attachments) attachments.replace(number, [])
    if (mayHaveText(event)) texts.removeByNumber(number, event.time)
    statement(db, 'DELETE FROM event WHERE number = ?').run(number)
  }
  yield* texts.endBulkRemoval()
  texts.moveAll(from, to)
  for (const stream of from) yield* moveLinks(db, stream, to)
}

/** The key of a link within a stream. */
type Link = readonly [trashed: number, time: number, event: number]

/** Collects the numbers of all events of streams, ascending and distinct. */
function* collectNumbers(db: Database, streams: readonly number[]): Steps<Iterable<number>> {
  const buckets = new Map<number, number[]>()
  const sql = `SELECT trashed, time, event FROM event_stream
    WHERE stream = ? AND (trashed, time, event) > (?, ?, ?) ORDER BY trashed, time, event LIMIT ${pageSize}`
  for (const stream of streams)
    for (let last: Link | undefined = [-1, 0, 0]; last;) {
      const page = raw(db, sql).all(stream, ...last) as Link[]
      for (const [, , event] of page) {
        const bucketNumber = Math.floor(event / bucketSize)
        const bucket = buckets.get(bucketNumber)
        if (bucket) bucket.push(event)
        else buckets.set(bucketNumber, [event])
      }
      last = page.length < pageSize ? undefined : page.at(-1)
      yield
    }
  return iterateAscending(buckets)
}

/** Sorts bucket by bucket: sorting a million numbers at once would block the event loop. */
function* iterateAscending(
  buckets: ReadonlyMap<number, readonly number[]>
): Generator<number, void, undefined> {
  for (const bucketNumber of [...buckets.keys()].toSorted((a, b) => a - b))
    yield* new Set(Float64Array.from(buckets.get(bucketNumber)!).toSorted())
}

/** Updates only the columns that change, without touching the other indexes. */
function replaceRow(
  db: Database,
  streams: StreamRepository,
  number: number,
  before: Row,
  event: Event,
  body: EventBody
): EventRow {
  const numbers = event.streamIds.map(id => streams.getNumber(id))
  const row = toRow(event, numbers, body)
  const sql = 'UPDATE event SET modified = ?, stream = ?, others = ?, large = ?, body = ? WHERE number = ?'
  statement(db, sql).run(row.modified, row.stream, row.others, row.large, row.body, number)
  if (before.others !== null) updateHome(db, row, numbers, number)
  return row
}

/**
 * Updates `home`, the event's first stream, in links that stay where they are; {@link moveLinks} sets it in the other
 * links.
 */
function updateHome(db: Database, row: EventRow, streams: readonly number[], number: number): void {
  const home = row.others === null ? null : row.stream
  const sql = 'UPDATE event_stream SET home = ? WHERE stream = ? AND trashed = ? AND time = ? AND event = ?'
  for (const stream of streams) statement(db, sql).run(home, stream, row.trashed, row.time, number)
}

/** Maximum length of cached paths, in characters: many longer paths would fill the memory. */
const maxCachedLength = 16 * 1024

/** Formats the paths of an event's streams as JSON. `cached` holds them by the streams. */
function formatEventPaths(
  streams: StreamRepository,
  { stream, others }: Row,
  cached: Map<string, string>
): string {
  const key = `${stream} ${others}`
  let text = cached.get(key)
  if (text === undefined) {
    const numbers = [stream, ...(JSON.parse(others ?? '[]') as number[])]
    text = formatPaths(streams, numbers)
    if (text.length < maxCachedLength) cached.set(key, text)
  }
  return text
}

/** Moves the links of a stream to another stream, or removes them, in steps. */
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
        `INSERT OR IGNORE INTO event_stream (stream, trashed, time, event, span, type, home, value, fields)
          SELECT ?, l.trashed, l.time, event, l.span, l.type, CASE WHEN others IS NOT NULL THEN e.stream END, value, fields
          FROM event_stream l CROSS JOIN event e ON number = event
          WHERE l.stream = ? AND (l.trashed, l.time, event) <= (?, ?, ?)`
      ).run(to, from, ...bounds)
    statement(db, `DELETE FROM event_stream ${range}`).run(from, ...bounds)
    yield
  }
}
