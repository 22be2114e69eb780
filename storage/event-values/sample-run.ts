/**
 * A sample under way: of the events that match, what each part of a range of times comes to. It goes on in steps; between
 * them it keeps its place as plain values, nothing of the file. Where events lie close, SQLite sums them up in the index;
 * where there are few in a part, and wherever one has to be looked at by itself, they are read one by one.
 */
import type { Database } from 'better-sqlite3'
import type { Event } from '../../schemas/event.js'
import { nextDouble } from '../event-query/position.js'
import type { StreamsCriteria } from '../event-query/query.js'
import { column } from '../sqlite/statements.js'
import { LaneRows, maxRowsPerRead, type LaneRow, type LanePosition, type StreamState } from './lane-rows.js'
import { Membership, type StreamWalk } from './membership.js'
import type { SummableRanges } from './summable-ranges.js'
import { TimeBuckets, type BucketRange, type Sample } from './time-buckets.js'

export interface SampleQuery extends BucketRange {
  readonly streams: readonly StreamsCriteria[] | undefined
  /** Numbers of types; absent: whatever type. */
  readonly types: ReadonlySet<number> | undefined
  /** In the trash (1), outside of it (0), or both. */
  readonly trashed: readonly (0 | 1)[]
  /** Keys joined by dots: where in contents the numbers are; absent: the contents themselves. */
  readonly field: string | undefined
}

/** What becomes of the text of an event whose content is not what is stored. */
export type Present = (body: string) => string

/** Milliseconds that a step takes, about. */
const stepMs = 8
/** Events in a part from which on SQLite sums them up sooner than they are read, and below which it does not. */
const denseEvents = 24
const sparseEvents = 12
/** Events in a file from which on a part may hold too many to be summed up in one go. */
const largeFileEvents = 200_000

/** Where the run is. */
interface Lane extends StreamState {
  position: LanePosition | undefined
  /** Whether the last part held enough to be summed up. */
  isDense: boolean
  /** Before that time rows are read one by one. */
  rowwiseBefore: number
  /** Whether events of several streams, of which this is the first, have been met. */
  hasHomeEvents: boolean
  /** Before that time rows are not too many to be summed up. */
  summableBefore: number
}

const initialLane = { isDense: false, rowwiseBefore: -Infinity, hasHomeEvents: false }

export class SampleRun {
  readonly #buckets: TimeBuckets
  readonly #membership: Membership
  readonly #rows: LaneRows
  /** Of events in several streams only. */
  readonly #sharedRows: LaneRows
  readonly #streams: StreamWalk
  readonly #end: number
  /** States of the present stream that are still to come. */
  readonly #lanes: Lane[] = []
  /** Rows that have been read and not looked at. */
  #pendingRows: LaneRow[] = []
  #isDone = false
  #isLarge = true

  constructor(private readonly query: SampleQuery) {
    const { field, streams, types } = query
    this.#buckets = new TimeBuckets(query)
    this.#end = this.#buckets.getStart(query.buckets)
    this.#membership = new Membership(streams)
    const wanted = { field, types: types && [...types] }
    this.#rows = new LaneRows(wanted)
    this.#sharedRows = new LaneRows({ ...wanted, sharedOnly: true })
    this.#streams = this.#membership.walkStreams()
  }

  /** Goes on for a few milliseconds; answers whether all has been looked at. */
  next(db: Database, summableRanges: SummableRanges, present: Present): boolean {
    this.#isLarge =
      ((column(db, 'SELECT max(number) FROM event').get() as number | null) ?? 0) > largeFileEvents
    const end = performance.now() + stepMs
    while (!this.#isDone && performance.now() < end) this.#step(db, summableRanges, end, present)
    return this.#isDone
  }

  /** What has been found, part by part. */
  toSamples(): Sample[] {
    return this.#buckets.toSamples()
  }

  #step(db: Database, summableRanges: SummableRanges, end: number, present: Present): void {
    const lane = this.#lanes[0]
    if (!lane) return this.#startStream(db)
    if (this.#pendingRows.length > 0) return this.#takeRows(db, lane, end, present)
    const { position: at } = lane
    if (!at) return void this.#lanes.shift()
    if (at.after !== undefined || !lane.isDense || at.time < lane.rowwiseBefore)
      return this.#readRows(db, lane, at)
    if (this.#isLarge && at.time >= lane.summableBefore)
      lane.summableBefore = summableRanges.findEnd(db, lane, at.time)
    this.#sumBucket(db, lane, at)
  }

  /** Takes up the next stream. */
  #startStream(db: Database): void {
    const stream = this.#streams.next(db)
    if (stream === undefined) this.#isDone = true
    else if (this.#membership.has(stream))
      for (const trashed of this.query.trashed)
        this.#lanes.push({
          ...initialLane,
          stream,
          trashed,
          position: { time: this.query.from },
          summableBefore: this.#isLarge ? -Infinity : Infinity
        })
  }

  /** Sums up what is left of a part, or as much of it as goes at once. */
  #sumBucket(db: Database, lane: Lane, { time }: LanePosition): void {
    const bucket = this.#buckets.findBucket(time)
    const before = Math.min(this.#buckets.getStart(bucket + 1), lane.summableBefore)
    // So many events of one time are read one by one.
    if (before === time) return void (lane.rowwiseBefore = nextDouble(time, 'ASC'))
    const range = [time, before] as const
    const { isUnconditional } = this.#membership
    const { irregular, ...sums } = this.#rows.sumRange(db, lane, range, isUnconditional && lane.hasHomeEvents)
    if (irregular > 0) {
      if (isUnconditional && !lane.hasHomeEvents) lane.hasHomeEvents = true
      else lane.rowwiseBefore = before
      return
    }
    const { count } = sums
    const edge = (order: 'ASC' | 'DESC') =>
      count === 0 ? undefined : this.#rows.findEdge(db, lane, range, order)
    // Where there are numbers, nobody asks for what has none.
    const all = count === 0 ? this.#rows.countRange(db, lane, range) : count
    this.#buckets.addSummary(bucket, { all, ...sums, first: edge('ASC'), last: edge('DESC') })
    lane.position = before < this.#end ? { time: before } : undefined
    lane.isDense = all >= sparseEvents
  }

  /** Reads the next rows. */
  #readRows(db: Database, lane: Lane, at: LanePosition): void {
    const { isUnconditional } = this.#membership
    const isLive = lane.stream < 0
    const sharedOnly = !isUnconditional && !this.#membership.matches(lane.stream, null)
    const { position, rows } = (sharedOnly ? this.#sharedRows : this.#rows).next(db, lane, at, this.#end)
    this.#pendingRows = isLive ? rows.map(row => ({ ...row, isBeyond: true })) : rows
    lane.position = position
    if (rows.length < maxRowsPerRead || isLive || sharedOnly) return
    const buckets = this.#buckets.findBucket(rows.at(-1)!.time) - this.#buckets.findBucket(rows[0]!.time) + 1
    lane.isDense = rows.length >= denseEvents * buckets
  }

  /** Looks at the rows that have been read, as far as there is time for. */
  #takeRows(db: Database, lane: Lane, end: number, present: Present): void {
    const rows = this.#pendingRows
    let at = 0
    let hasTime = true
    while (at < rows.length && hasTime) {
      const row = rows[at++]!
      if (this.#isCountedHere(db, lane, row))
        this.#buckets.countEvent(
          row,
          row.needsBody ? this.#readNumber(db, lane, row.number, present) : row.value
        )
      if (row.needsBody || at % 16 === 0) hasTime = performance.now() < end
    }
    this.#pendingRows = rows.slice(at)
  }

  /** Whether an event counts in this stream. */
  #isCountedHere(db: Database, { stream }: Lane, { home, number }: LaneRow): boolean {
    if (home === null) return true
    if (this.#membership.isUnconditional && this.#membership.has(home)) return home === stream
    return this.#membership.findHome(db, number) === stream
  }

  /** The number within a content that is not what the index holds. */
  #readNumber(db: Database, { stream }: Lane, event: number, present: Present): number | undefined {
    const { field } = this.query
    if (stream < 0 || field === undefined) return this.#computeNumber(db, event, present)
    // SQLite finds it without making objects of a body that may be of many megabytes.
    const path = `$.content."${field.replaceAll('.', '"."')}"`
    const text = column(db, numberSql).get(path, path, event) as string | null | undefined
    return text === null || text === undefined ? undefined : Number(text)
  }

  /** As {@link #readNumber}, of a value of the account: some are worked out when they are read. */
  #computeNumber(db: Database, event: number, present: Present): number | undefined {
    const body = column(db, 'SELECT body FROM event WHERE number = ?').get(event) as string | undefined
    // It may have been deleted since it was met.
    if (body === undefined) return undefined
    const { content } = JSON.parse(present(body)) as Event
    const keys = this.query.field?.split('.') ?? []
    const found = keys.reduce<unknown>(
      (at, key) =>
        typeof at === 'object' && at !== null && !Array.isArray(at) && Object.hasOwn(at, key)
          ? (at as Record<string, unknown>)[key]
          : undefined,
      content
    )
    return typeof found === 'number' ? found : undefined
  }
}

/** The number at a path in the body of an event, as JSON. */
const numberSql = `SELECT CASE WHEN json_type(body, ?) IN ('integer', 'real') THEN body -> ? END
  FROM event WHERE number = ?`
