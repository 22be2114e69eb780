/** The index of events by stream, and its caches. */
import type { Database } from 'better-sqlite3'
import { StreamEnds } from '../event-query/stream-ends.js'
import { SummableRanges } from './summable-ranges.js'
import type { ContentNumbers } from '../content-numbers.js'
import { StreamFacts } from './stream-facts.js'
import { statement } from '../sqlite/statements.js'

/** The columns by which an event is found. */
export interface EventLocation {
  readonly number: number
  readonly time: number
  /** As in event rows (storage/repositories/event-row.ts), like the columns below. */
  readonly span: number | null
  readonly trashed: number
  readonly stream: number
  readonly others: string | null
  /** Number of the event's type. */
  readonly type: number
}

const linkKey = 'stream = ? AND trashed = ? AND time = ? AND event = ?'
const columns = 'stream, trashed, time, event, span, type, home, value, fields'
const insertSql = `INSERT INTO event_stream (${columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`
const updateSql = `UPDATE event_stream SET type = ?, value = ?, fields = ?
  WHERE ${linkKey} AND (type IS NOT ? OR value IS NOT ? OR fields IS NOT ?)`

/** Writes the rows that link events to their streams, and updates what is cached of them. */
export class EventLinks {
  /** First and last times of streams. */
  readonly ends: StreamEnds
  readonly facts = new StreamFacts()
  readonly summableRanges = new SummableRanges()

  constructor(private readonly db: Database) {
    this.ends = new StreamEnds(db)
  }

  /** Links an event to its streams. */
  add(location: EventLocation, { fields, value }: ContentNumbers): void {
    const { number, others, span, stream: first, time, trashed, type } = location
    const home = others === null ? null : first
    const insert = statement(this.db, insertSql)
    for (const stream of listStreams(location)) {
      insert.run(stream, trashed, time, number, span, type, home, value, fields)
      this.ends.add(stream, trashed, time)
      this.facts.add(stream, location)
      this.summableRanges.add()
    }
  }

  /** Removes the links of an event. */
  remove(location: EventLocation): void {
    const { number, time, trashed } = location
    for (const stream of listStreams(location)) {
      statement(this.db, `DELETE FROM event_stream WHERE ${linkKey}`).run(stream, trashed, time, number)
      this.ends.remove(stream, trashed, time)
      this.facts.remove(stream, location)
    }
  }

  /** Updates the links of a changed event, if they differ. */
  update(before: EventLocation, after: EventLocation, numbers: ContentNumbers): void {
    if (hasMoved(before, after)) {
      this.remove(before)
      this.add(after, numbers)
      return
    }
    const { number, time, trashed, type } = after
    const { fields, value } = numbers
    for (const stream of listStreams(after)) {
      const key = [stream, trashed, time, number]
      statement(this.db, updateSql).run(type, value, fields, ...key, type, value, fields)
      if (before.type === type) continue
      this.facts.remove(stream, before)
      this.facts.add(stream, after)
    }
  }

  /** Clears the caches: they may hold what was rolled back, or miss other writes. */
  invalidate(): void {
    this.ends.invalidate()
    this.facts.invalidate()
    this.summableRanges.invalidate()
  }
}

/** Lists the numbers of the streams that an event is in, its first stream first. */
export function listStreams({ stream, others }: Pick<EventLocation, 'stream' | 'others'>): number[] {
  return others === null ? [stream] : [stream, ...(JSON.parse(others) as number[])]
}

function hasMoved(a: EventLocation, b: EventLocation): boolean {
  return (
    a.time !== b.time ||
    a.span !== b.span ||
    a.trashed !== b.trashed ||
    a.stream !== b.stream ||
    a.others !== b.others
  )
}
