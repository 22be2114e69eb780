/** Where events are found: the index of streams, and what is kept in memory of it. */
import type { Database } from 'better-sqlite3'
import { StreamEnds } from '../event-query/stream-ends.js'
import { SummableRanges } from './summable-ranges.js'
import type { ContentNumbers } from '../content-numbers.js'
import { StreamFacts } from './stream-facts.js'
import { statement } from '../sqlite/statements.js'

/** Where an event is found. */
export interface EventLocation {
  readonly number: number
  readonly time: number
  readonly span: number | null
  readonly trashed: number
  readonly stream: number
  readonly others: string | null
  /** Number of its type. */
  readonly type: number
}

const linkKey = 'stream = ? AND trashed = ? AND time = ? AND event = ?'
const columns = 'stream, trashed, time, event, span, type, home, value, fields'
const insertSql = `INSERT INTO event_stream (${columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`
const updateSql = `UPDATE event_stream SET type = ?, value = ?, fields = ?
  WHERE ${linkKey} AND (type IS NOT ? OR value IS NOT ? OR fields IS NOT ?)`

export class EventLinks {
  /** Where streams begin and end. */
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

  /** Takes an event out of its streams. */
  remove(location: EventLocation): void {
    const { number, time, trashed } = location
    for (const stream of listStreams(location)) {
      statement(this.db, `DELETE FROM event_stream WHERE ${linkKey}`).run(stream, trashed, time, number)
      this.ends.remove(stream, trashed, time)
      this.facts.remove(stream, location)
    }
  }

  /** Brings the links of an event that has changed up to date; they are left alone where nothing is to be written. */
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

  /** Drops what is remembered: it may have been rolled back, or written past this. */
  invalidate(): void {
    this.ends.invalidate()
    this.facts.invalidate()
    this.summableRanges.invalidate()
  }
}

/** Numbers of the streams that an event is in, its first stream first. */
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
