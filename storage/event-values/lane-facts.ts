/** What a stream holds outside of the trash: groups of events of one type that are in the same streams. */
import type { Database } from 'better-sqlite3'
import { isBefore, type Key } from '../event-query/position.js'
import { raw } from '../sqlite/statements.js'
import {
  edgeKey,
  kindsIn,
  LaneRows,
  timeAhead,
  type LaneRow,
  type Place,
  type StateOfStream
} from './lane-rows.js'
import { streamsOf, type Membership } from './membership.js'

/** An event as it is found in streams. */
export interface Placed {
  readonly number: number
  readonly time: number
  readonly trashed: number
  readonly stream: number
  readonly others: string | null
  readonly type: number
}

export interface Group {
  readonly type: number
  /** As in events: the first stream, and the others; of events in this stream only, `others` is `null`. */
  readonly stream: number
  readonly others: string | null
  count: number
  /** Absent where it has gone and the next one has not been looked for yet. */
  first: Key | undefined
  last: Key | undefined
}

/** Rows that are counted in one go. */
const countedAtOnce = 10_000
/** Milliseconds after which a step ends. */
const stepMs = 1
/** Groups of one stream that are kept apart; more are kept by nobody. */
const mostGroups = 1000
/** Characters of a list of streams that tells groups apart. */
const longestOthers = 1000
/** Rows that are looked at for the next first one. */
const soughtRows = 1000

/** Reads whatever is there. */
const all = new LaneRows({ field: undefined, types: undefined })

/** Which events are counted. */
type Test = Pick<Membership, 'meets' | 'meetsEvent'>

export class LaneFacts {
  readonly groups = new Map<string, Group>()
  readonly #lane: StateOfStream
  /** How far the stream has been read. */
  #at: Place | undefined = { time: -Infinity }
  #isMixed = false
  /** Whether events of several types have been met, or some in several streams: they are read one by one. */
  #isVaried = false

  /** With a test, all that pass it are of one group for each type: this is for who asks only, and kept up by nobody. */
  constructor(
    readonly stream: number,
    private readonly test?: Test
  ) {
    this.#lane = { stream, trashed: 0 }
  }

  /** Whether all of it has been read. */
  get isWhole(): boolean {
    return this.#at === undefined
  }

  /** Whether its groups are too many to be kept. */
  get isMixed(): boolean {
    return this.#isMixed
  }

  /** Reads on, for a millisecond or less. */
  step(db: Database): void {
    const at = this.#at
    if (!at) return
    const before = at.after === undefined && !this.#isVaried ? this.#reach(db, at.time) : at.time
    if (before === at.time) return this.#read(db, at)
    const range = [at.time, before] as const
    const { count, least, most, shared } = kindsIn(db, this.#lane, range)
    this.#isVaried = shared > 0 || least !== most
    if (this.#isVaried) return this.#read(db, at)
    if (count > 0 && (this.test?.meets(this.stream, null) ?? true)) {
      const [first, last] = [edgeKey(db, this.#lane, range, 'ASC')!, edgeKey(db, this.#lane, range, 'DESC')!]
      const group = this.#group(least!, this.stream, null)
      group.count += count
      extend(group, first)
      extend(group, last)
    }
    this.#at = before === Infinity ? undefined : { time: before }
  }

  /** Looks for first and last ones that have gone. Answers whether all are there: if not, all has to be read again. */
  mend(db: Database): boolean {
    for (const group of this.groups.values()) {
      group.first ??= this.#seek(db, group, 'ASC')
      group.last ??= this.#seek(db, group, 'DESC')
      if (!group.first || !group.last) return false
    }
    return true
  }

  /** An event has come. */
  add(event: Placed): void {
    if (event.trashed !== 0 || this.#isAhead(event)) return
    this.#take(event)
  }

  /** An event has left. Answers whether that is all that there is to it: if not, all has to be read again. */
  remove(event: Placed): boolean {
    if (event.trashed !== 0 || this.#isAhead(event)) return true
    if (this.#isMixed) return true
    const key = keyOf(event)
    const group = this.groups.get(key)
    if (!group) return false
    if (--group.count === 0) return this.groups.delete(key)
    const isEdge = group.first?.number === event.number || group.last?.number === event.number
    if (isEdge && (group.others !== null || !this.isWhole)) return false
    if (group.first?.number === event.number) group.first = undefined
    if (group.last?.number === event.number) group.last = undefined
    return true
  }

  /** Whether a place has not been read yet. */
  #isAhead({ number, time }: Key): boolean {
    const at = this.#at
    if (!at || time < at.time) return false
    return time > at.time || at.after === undefined || number > at.after
  }

  #reach(db: Database, time: number): number {
    return timeAhead(db, this.#lane, [time, Infinity], countedAtOnce) ?? Infinity
  }

  /** Reads the next rows, as far as there is time for: an event may be in thousands of streams. */
  #read(db: Database, at: Place): void {
    const { rest, rows } = all.next(db, this.#lane, at, Infinity)
    const end = performance.now() + stepMs
    for (const [index, row] of rows.entries()) {
      this.#look(db, row)
      if (this.#isMixed) return
      if (index < rows.length - 1 && performance.now() > end) {
        this.#at = { time: row.time, after: row.number }
        return
      }
    }
    this.#at = rest
  }

  #look(db: Database, { home, number, time, type }: LaneRow): void {
    const { stream, test } = this
    const alone = { number, time, type, trashed: 0, stream, others: null }
    if (test) {
      if (home === null ? test.meets(stream, null) : test.meetsEvent(db, number)) this.#take(alone)
      return
    }
    const [first, others] = (home !== null && streamsOf(db, number)) || [stream, null]
    this.#take({ ...alone, stream: first, others })
  }

  #take(event: Placed): void {
    if (this.#isMixed) return
    if (this.groups.size >= mostGroups || (event.others?.length ?? 0) > longestOthers) {
      if (!this.test) return this.#giveUp()
    }
    const group = this.#group(event.type, event.stream, event.others)
    const isNew = group.count++ === 0
    if (isNew || (group.first && isBefore(event, group.first, 'ASC'))) group.first = keyIn(event)
    if (isNew || (group.last && isBefore(group.last, event, 'ASC'))) group.last = keyIn(event)
  }

  #giveUp(): void {
    this.#isMixed = true
    this.groups.clear()
    this.#at = undefined
  }

  #group(type: number, stream: number, others: string | null): Group {
    const key = keyOf({ type, stream, others })
    let group = this.groups.get(key)
    if (!group)
      this.groups.set(key, (group = { type, stream, others, count: 0, first: undefined, last: undefined }))
    return group
  }

  /** Of events that are in no other stream. */
  #seek(db: Database, { others, type }: Group, order: 'ASC' | 'DESC'): Key | undefined {
    if (others !== null) return undefined
    const sql = `SELECT time, event FROM (SELECT time, event, type, home FROM event_stream
      WHERE stream = ? AND trashed = 0 ORDER BY time ${order}, event ${order} LIMIT ${soughtRows})
      WHERE type = ? AND home IS NULL LIMIT 1`
    const found = raw(db, sql).get(this.stream, type) as [number, number] | undefined
    return found && { time: found[0], number: found[1] }
  }
}

function keyIn({ number, time }: Key): Key {
  return { number, time }
}

function extend(group: Group, key: Key): void {
  if (!group.first || isBefore(key, group.first, 'ASC')) group.first = key
  if (!group.last || isBefore(group.last, key, 'ASC')) group.last = key
}

function keyOf({ others, stream, type }: Pick<Placed, 'type' | 'stream' | 'others'>): string {
  return others === null ? String(type) : `${type} ${stream} ${others}`
}
