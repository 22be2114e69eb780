/** The events of a stream outside the trash, in groups by type and by the streams that they are in. */
import type { Database } from 'better-sqlite3'
import { isBefore, type Key } from '../event-query/position.js'
import { raw } from '../sqlite/statements.js'
import {
  findEdgeKey,
  summarizeRange,
  LaneRows,
  findTimeAhead,
  type LaneRow,
  type LanePosition,
  type StreamState
} from './lane-rows.js'
import { readStreams, type Membership } from './membership.js'

/** An event as it is linked to streams. */
export interface LinkedEvent {
  readonly number: number
  readonly time: number
  readonly trashed: number
  readonly stream: number
  readonly others: string | null
  readonly type: number
}

interface Group {
  readonly type: number
  /** As in events: the first stream, and the others; `others` is `null` for events in this stream only. */
  readonly stream: number
  readonly others: string | null
  count: number
  /** The first event; absent if it was removed and the next event has not been looked up yet. */
  first: Key | undefined
  last: Key | undefined
}

/** Maximum number of rows counted by one statement. */
const maxCountedRows = 10_000
/** Duration after which a step ends, in milliseconds. */
const stepMs = 1
/** Maximum number of groups of one stream; the facts of a stream with more groups are not cached. */
const maxGroups = 1000
/** Maximum length of a list of streams that distinguishes groups, in characters. */
const maxOthersLength = 1000
/** Characters of a list of streams that take as much memory as a group, in its key and in the group. */
const charactersPerGroup = 125
/** Maximum number of rows examined to find the next first or last event. */
const maxSeekRows = 1000

/** Reads all rows. */
const allRows = new LaneRows({ field: undefined, types: undefined })

/** The conditions on counted events. */
type MembershipTest = Pick<Membership, 'matches' | 'matchesEvent'>

/** How much memory facts of streams take together: in groups, of about 250 bytes. */
export interface FactsSize {
  groups: number
}

/** The facts of one stream, as far as it has been read. */
export class LaneFacts {
  readonly groups = new Map<string, Group>()
  readonly #lane: StreamState
  /** Position up to which the stream has been read. */
  #position: LanePosition | undefined = { time: -Infinity }
  #hasTooManyGroups = false
  /** True once events of several types, or in several streams, were found: rows are then read one by one. */
  #needsRows = false
  /** True once the first or the last event of a group was removed. */
  #lacksEdges = false
  /** What the facts add to `size`. */
  #size = 0

  /**
   * With a test, all events that pass it form one group for each type. Such facts are specific to one caller and not
   * kept up to date.
   */
  constructor(
    readonly stream: number,
    private readonly size: FactsSize,
    private readonly test?: MembershipTest
  ) {
    this.#lane = { stream, trashed: 0 }
    size.groups++
  }

  /** True once the whole stream has been read, and the first and last events of all groups are known. */
  get isComplete(): boolean {
    return this.#position === undefined && !this.#lacksEdges
  }

  /** True if there are too many groups to be cached. */
  get hasTooManyGroups(): boolean {
    return this.#hasTooManyGroups
  }

  /** Reads on, for at most a millisecond. */
  step(db: Database): void {
    const position = this.#position
    if (!position) return this.#restoreEdges(db)
    const before =
      position.after === undefined && !this.#needsRows ? this.#findRangeEnd(db, position.time) : position.time
    if (before === position.time) return this.#readRows(db, position)
    const range = [position.time, before] as const
    const { count, minType, maxType, shared } = summarizeRange(db, this.#lane, range)
    this.#needsRows = shared > 0 || minType !== maxType
    if (this.#needsRows) return this.#readRows(db, position)
    if (count > 0 && (this.test?.matches(this.stream, null) ?? true)) {
      const [first, last] = [
        findEdgeKey(db, this.#lane, range, 'ASC')!,
        findEdgeKey(db, this.#lane, range, 'DESC')!
      ]
      const group = this.#getGroup(minType!, this.stream, null)
      group.count += count
      extendGroup(group, first)
      extendGroup(group, last)
    }
    this.#position = before === Infinity ? undefined : { time: before }
  }

  /** Counts an event that was added. */
  add(event: LinkedEvent): void {
    if (event.trashed !== 0 || this.#isUnread(event)) return
    this.#countEvent(event)
  }

  /** Uncounts an event that was removed; the stream is read again if that is not possible. */
  remove(event: LinkedEvent): void {
    if (event.trashed !== 0 || this.#isUnread(event)) return
    if (this.#hasTooManyGroups) return
    const key = formatGroupKey(event)
    const group = this.groups.get(key)
    if (!group) return this.#restart()
    if (--group.count === 0) {
      this.groups.delete(key)
      return this.#grow(-measureGroup(group))
    }
    const isEdge = group.first?.number === event.number || group.last?.number === event.number
    if (!isEdge) return
    if (group.others !== null || this.#position) return this.#restart()
    if (group.first?.number === event.number) group.first = undefined
    if (group.last?.number === event.number) group.last = undefined
    this.#lacksEdges = true
  }

  /** Looks up first and last events that were removed, as far as time allows. Without one of them, the stream is read again. */
  #restoreEdges(db: Database): void {
    const end = performance.now() + stepMs
    for (const group of this.groups.values()) {
      if (group.first && group.last) continue
      if (performance.now() > end) return
      group.first ??= this.#findEdge(db, group, 'ASC')
      group.last ??= this.#findEdge(db, group, 'DESC')
      if (!group.first || !group.last) return this.#restart()
    }
    this.#lacksEdges = false
  }

  #restart(): void {
    this.#clearGroups()
    this.#position = { time: -Infinity }
    this.#needsRows = false
  }

  /** Returns whether a position has not been read yet. */
  #isUnread({ number, time }: Key): boolean {
    const position = this.#position
    if (!position || time < position.time) return false
    return time > position.time || position.after === undefined || number > position.after
  }

  #findRangeEnd(db: Database, time: number): number {
    return findTimeAhead(db, this.#lane, [time, Infinity], maxCountedRows) ?? Infinity
  }

  /** Reads the next rows, as far as time allows: an event may be in thousands of streams. */
  #readRows(db: Database, position: LanePosition): void {
    const { position: next, rows } = allRows.next(db, this.#lane, position, Infinity)
    const end = performance.now() + stepMs
    for (const [index, row] of rows.entries()) {
      this.#takeRow(db, row)
      if (this.#hasTooManyGroups) return
      if (index < rows.length - 1 && performance.now() > end) {
        this.#position = { time: row.time, after: row.number }
        return
      }
    }
    this.#position = next
  }

  #takeRow(db: Database, { home, number, time, type }: LaneRow): void {
    const { stream, test } = this
    const alone = { number, time, type, trashed: 0, stream, others: null }
    if (test) {
      if (home === null ? test.matches(stream, null) : test.matchesEvent(db, number)) this.#countEvent(alone)
      return
    }
    const [first, others] = (home !== null && readStreams(db, number)) || [stream, null]
    this.#countEvent({ ...alone, stream: first, others })
  }

  #countEvent(event: LinkedEvent): void {
    if (this.#hasTooManyGroups) return
    if (this.groups.size >= maxGroups || (event.others?.length ?? 0) > maxOthersLength) {
      if (!this.test) return this.#discardGroups()
    }
    const group = this.#getGroup(event.type, event.stream, event.others)
    const isNew = group.count++ === 0
    if (isNew || (group.first && isBefore(event, group.first, 'ASC'))) group.first = toKey(event)
    if (isNew || (group.last && isBefore(group.last, event, 'ASC'))) group.last = toKey(event)
  }

  #discardGroups(): void {
    this.#hasTooManyGroups = true
    this.#clearGroups()
    this.#position = undefined
  }

  #clearGroups(): void {
    this.groups.clear()
    this.#grow(-this.#size)
    this.#lacksEdges = false
  }

  #grow(groups: number): void {
    this.#size += groups
    this.size.groups += groups
  }

  #getGroup(type: number, stream: number, others: string | null): Group {
    const key = formatGroupKey({ type, stream, others })
    let group = this.groups.get(key)
    if (!group) {
      this.groups.set(key, (group = { type, stream, others, count: 0, first: undefined, last: undefined }))
      this.#grow(measureGroup(group))
    }
    return group
  }

  /** Applies to events that are in no other stream. */
  #findEdge(db: Database, { others, type }: Group, order: 'ASC' | 'DESC'): Key | undefined {
    if (others !== null) return undefined
    const sql = `SELECT time, event FROM (SELECT time, event, type, home FROM event_stream
      WHERE stream = ? AND trashed = 0 ORDER BY time ${order}, event ${order} LIMIT ${maxSeekRows})
      WHERE type = ? AND home IS NULL LIMIT 1`
    const found = raw(db, sql).get(this.stream, type) as [number, number] | undefined
    return found && { time: found[0], number: found[1] }
  }
}

/** Returns for how many groups a group takes memory: the ids of its streams may be thousands of characters. */
function measureGroup({ others }: Pick<Group, 'others'>): number {
  return 1 + Math.floor((others?.length ?? 0) / charactersPerGroup)
}

function toKey({ number, time }: Key): Key {
  return { number, time }
}

function extendGroup(group: Group, key: Key): void {
  if (!group.first || isBefore(key, group.first, 'ASC')) group.first = key
  if (!group.last || isBefore(group.last, key, 'ASC')) group.last = key
}

function formatGroupKey({ others, stream, type }: Pick<LinkedEvent, 'type' | 'stream' | 'others'>): string {
  return others === null ? String(type) : `${type} ${stream} ${others}`
}
