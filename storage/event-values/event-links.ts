/** Where events are found: the index of streams, and what is kept in memory of it. */
import type { Database } from 'better-sqlite3'
import { StreamEnds } from '../event-query/stream-ends.js'
import { Milestones } from './milestones.js'
import type { ContentNumbers } from '../content-numbers.js'
import { StreamFacts } from './stream-facts.js'
import { statement } from '../sqlite/statements.js'

/** Where an event is found. */
export interface EventPlace {
  readonly number: number
  readonly time: number
  readonly span: number | null
  readonly trashed: number
  readonly stream: number
  readonly others: string | null
  /** Number of its type. */
  readonly type: number
}

const key = 'stream = ? AND trashed = ? AND time = ? AND event = ?'
const columns = 'stream, trashed, time, event, span, type, home, value, fields'
const insertSql = `INSERT INTO event_stream (${columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`
const updateSql = `UPDATE event_stream SET type = ?, value = ?, fields = ?
  WHERE ${key} AND (type IS NOT ? OR value IS NOT ? OR fields IS NOT ?)`

export class EventLinks {
  /** Where streams begin and end. */
  readonly ends: StreamEnds
  readonly facts = new StreamFacts()
  readonly milestones = new Milestones()

  constructor(private readonly db: Database) {
    this.ends = new StreamEnds(db)
  }

  /** Links an event to its streams. */
  add(place: EventPlace, { fields, value }: ContentNumbers): void {
    const { number, others, span, stream: first, time, trashed, type } = place
    const home = others === null ? null : first
    const insert = statement(this.db, insertSql)
    for (const stream of streamsOf(place)) {
      insert.run(stream, trashed, time, number, span, type, home, value, fields)
      this.ends.add(stream, trashed, time)
      this.facts.add(stream, place)
      this.milestones.add()
    }
  }

  /** Takes an event out of its streams. */
  remove(place: EventPlace): void {
    const { number, time, trashed } = place
    for (const stream of streamsOf(place)) {
      statement(this.db, `DELETE FROM event_stream WHERE ${key}`).run(stream, trashed, time, number)
      this.ends.remove(stream, trashed, time)
      this.facts.remove(stream, place)
    }
  }

  /** Brings the links of an event that has changed up to date; they are left alone where nothing is to be written. */
  change(before: EventPlace, after: EventPlace, numbers: ContentNumbers): void {
    if (isElsewhere(before, after)) {
      this.remove(before)
      this.add(after, numbers)
      return
    }
    const { number, time, trashed, type } = after
    const { fields, value } = numbers
    for (const stream of streamsOf(after)) {
      const at = [stream, trashed, time, number]
      statement(this.db, updateSql).run(type, value, fields, ...at, type, value, fields)
      if (before.type === type) continue
      this.facts.remove(stream, before)
      this.facts.add(stream, after)
    }
  }

  /** Drops what is remembered: it may have been rolled back, or written past this. */
  forget(): void {
    this.ends.forget()
    this.facts.forget()
    this.milestones.forget()
  }
}

/** Numbers of the streams that an event is in, its first stream first. */
export function streamsOf({ stream, others }: Pick<EventPlace, 'stream' | 'others'>): number[] {
  return others === null ? [stream] : [stream, ...(JSON.parse(others) as number[])]
}

function isElsewhere(a: EventPlace, b: EventPlace): boolean {
  return (
    a.time !== b.time ||
    a.span !== b.span ||
    a.trashed !== b.trashed ||
    a.stream !== b.stream ||
    a.others !== b.others
  )
}
