/**
 * Aggregates event values into buckets over a time range, in steps. Between steps it holds its position as plain
 * values, and nothing of the file. Where events are dense, SQLite sums them in the index; where a bucket holds few
 * events, or an event has to be read by itself, rows are read one by one.
 */
import type { Database } from 'better-sqlite3'
import type { Event } from '../../schemas/event.js'
import { nextDouble, type Key } from '../event-query/position.js'
import type { StreamsCriteria } from '../event-query/query.js'
import { column, raw } from '../sqlite/statements.js'
import { LaneRows, maxRowsPerRead, type LaneRow, type LanePosition, type StreamState } from './lane-rows.js'
import { Membership, type StreamWalk } from './membership.js'
import type { SummableRanges } from './summable-ranges.js'
import { TimeBuckets, type BucketRange, type BucketSummary } from './time-buckets.js'

export interface SampleQuery extends BucketRange {
  readonly streams: readonly StreamsCriteria[] | undefined
  /** Numbers of types; absent: any type. */
  readonly types: ReadonlySet<number> | undefined
  /** Whether to select events in the trash (1), outside of it (0), or both. */
  readonly trashed: readonly (0 | 1)[]
  /** Keys joined by dots: the path of the numbers in contents; absent: the contents themselves. */
  readonly field: string | undefined
  /** Which of the first and the last number of a bucket are needed; by default both. */
  readonly edges?: 'last' | 'none'
}

/** Decides which streams are sampled, and in which of them an event counts; see {@link Membership}. */
export type SampledStreams = Pick<
  Membership,
  'isUnconditional' | 'walkStreams' | 'has' | 'matches' | 'findHome'
>

/** Aggregates the numbers of a sample by bucket, as {@link TimeBuckets} does. */
export interface SampleTarget {
  /** Returns the start of a bucket, in seconds. */
  getStart(bucket: number): number
  /** Returns the index of the bucket of a time. */
  findBucket(time: number): number
  /** `until`: the end of an event that {@link reachesNextBucket}. */
  countEvent(key: Key, value: number | undefined, until?: number): void
  /** Adds aggregated events of one bucket. */
  addSummary(bucket: number, summary: BucketSummary): void
  /** Set if events with a duration are spread over buckets: whether one of at most so many seconds may need to be. */
  reachesNextBucket?(time: number, duration: number): boolean
}

/** Turns the body of an event whose content is computed into what the caller sees. */
export type Present = (body: string) => string

/** Approximate duration of a step, in milliseconds. */
const stepMs = 8
/**
 * Numbers of events per bucket: from `denseEvents` on SQLite sums the following buckets, below `sparseEvents` their
 * rows are read one by one again.
 */
const denseEvents = 24
const sparseEvents = 12
/** Number of events in a file above which a bucket may hold too many to be summed by one statement. */
const largeFileEvents = 200_000

/** The stream and trash state being read. */
interface Lane extends StreamState {
  position: LanePosition | undefined
  /** True if the last bucket held enough events to be summed. */
  isDense: boolean
  /** Rows before this time are read one by one. */
  rowwiseBefore: number
  /** True once events in several streams were found of which this is the first stream. */
  hasHomeEvents: boolean
  /** Rows before this time are few enough to be summed by one statement. */
  summableBefore: number
}

const initialLane = { isDense: false, rowwiseBefore: -Infinity, hasHomeEvents: false }

/** The progress of one sample. */
export class SampleRun<Target extends SampleTarget = TimeBuckets> {
  readonly #membership: SampledStreams
  readonly #rows: LaneRows
  /** Rows of events that are in several streams. */
  readonly #sharedRows: LaneRows
  readonly #streams: StreamWalk
  readonly #end: number
  /** Trash states of the current stream that remain to be read. */
  readonly #lanes: Lane[] = []
  /** Rows that have been read but not counted yet. */
  #pendingRows: LaneRow[] = []
  /** Ends of the events that have to be spread over buckets, by number. */
  #ends = noEnds
  #isDone = false
  #isLarge = true

  constructor(
    private readonly query: SampleQuery,
    readonly target: Target,
    membership: SampledStreams = new Membership(query.streams)
  ) {
    const { field, types } = query
    this.#end = target.getStart(query.buckets)
    this.#membership = membership
    const wanted = { field, types: types && [...types], readsSpans: target.reachesNextBucket !== undefined }
    this.#rows = new LaneRows(wanted)
    this.#sharedRows = new LaneRows({ ...wanted, sharedOnly: true })
    this.#streams = this.#membership.walkStreams()
  }

  /** Continues for a few milliseconds. Returns whether the sample is complete. */
  next(db: Database, summableRanges: SummableRanges, present: Present): boolean {
    this.#isLarge =
      ((column(db, 'SELECT max(number) FROM event').get() as number | null) ?? 0) > largeFileEvents
    const end = performance.now() + stepMs
    while (!this.#isDone && performance.now() < end) this.#step(db, summableRanges, end, present)
    return this.#isDone
  }

  /** Takes one step: starts a stream, or reads or sums the next rows of the current one. */
  #step(db: Database, summableRanges: SummableRanges, end: number, present: Present): void {
    const lane = this.#lanes[0]
    if (!lane) return this.#startStream(db)
    if (this.#pendingRows.length > 0) return this.#takeRows(db, lane, end, present)
    const { position } = lane
    if (!position) return void this.#lanes.shift()
    if (position.after !== undefined || !lane.isDense || position.time < lane.rowwiseBefore)
      return this.#readRows(db, lane, position)
    if (this.#isLarge && position.time >= lane.summableBefore)
      lane.summableBefore = summableRanges.findEnd(db, lane, position.time)
    this.#sumBucket(db, lane, position)
  }

  /** Starts reading the next stream. */
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

  /** Sums the rest of a bucket, or as much of it as one statement may sum. */
  #sumBucket(db: Database, lane: Lane, { time }: LanePosition): void {
    const bucket = this.target.findBucket(time)
    const before = Math.min(this.target.getStart(bucket + 1), lane.summableBefore)
    // Too many events have the same time: they are read one by one.
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
    const { edges } = this.query
    const edge = (order: 'ASC' | 'DESC') =>
      count === 0 || edges === 'none' || (edges === 'last' && order === 'ASC')
        ? undefined
        : this.#rows.findEdge(db, lane, range, order)
    // Events without a number are not needed if others have one.
    const all = count === 0 ? this.#rows.countRange(db, lane, range) : count
    this.target.addSummary(bucket, { all, ...sums, first: edge('ASC'), last: edge('DESC') })
    lane.position = before < this.#end ? { time: before } : undefined
    // The rest of a bucket says little about the next ones.
    if (time === this.target.getStart(bucket)) lane.isDense = all >= sparseEvents
  }

  /** Reads the next rows. */
  #readRows(db: Database, lane: Lane, at: LanePosition): void {
    const { isUnconditional } = this.#membership
    const isLive = lane.stream < 0
    const sharedOnly = !isUnconditional && !this.#membership.matches(lane.stream, null)
    const { position, rows } = (sharedOnly ? this.#sharedRows : this.#rows).next(db, lane, at, this.#end)
    this.#pendingRows = isLive ? rows.map(row => ({ ...row, needsBody: true })) : rows
    this.#ends = this.#readEnds(db, rows)
    lane.position = position
    if (rows.length < maxRowsPerRead || isLive || sharedOnly) return
    const buckets = this.target.findBucket(rows.at(-1)!.time) - this.target.findBucket(rows[0]!.time) + 1
    lane.isDense = rows.length >= denseEvents * buckets
  }

  /** Counts the rows that have been read, as far as time allows. */
  #takeRows(db: Database, lane: Lane, end: number, present: Present): void {
    const rows = this.#pendingRows
    let at = 0
    let hasTime = true
    while (at < rows.length && hasTime) {
      const row = rows[at++]!
      if (this.#isCountedHere(db, lane, row))
        this.target.countEvent(
          row,
          row.needsBody ? this.#readNumber(db, lane, row.number, present) : row.value,
          this.#ends.get(row.number)
        )
      if (row.needsBody || at % 16 === 0) hasTime = performance.now() < end
    }
    this.#pendingRows = rows.slice(at)
  }

  /** Returns whether an event counts in this stream. */
  #isCountedHere(db: Database, { stream }: Lane, { home, number }: LaneRow): boolean {
    if (home === null) return true
    if (this.#membership.isUnconditional && this.#membership.has(home)) return home === stream
    return this.#membership.findHome(db, number) === stream
  }

  /** Reads the ends of events that have to be spread over buckets, by number. */
  #readEnds(db: Database, rows: readonly LaneRow[]): ReadonlyMap<number, number> {
    const { target } = this
    if (!target.reachesNextBucket) return noEnds
    const spread: number[] = []
    for (const { number, span, time } of rows)
      if (span !== null && target.reachesNextBucket(time, 2 ** span)) spread.push(number)
    if (spread.length === 0) return noEnds
    return new Map(raw(db, endsSql).all(JSON.stringify(spread)) as [number, number][])
  }

  /** Reads the number in a content that the index does not hold. */
  #readNumber(db: Database, { stream }: Lane, event: number, present: Present): number | undefined {
    const { field } = this.query
    if (stream < 0 || field === undefined) return this.#computeNumber(db, event, present)
    // SQLite extracts it without parsing a body that may be many megabytes.
    const path = `$.content."${field.replaceAll('.', '"."')}"`
    const text = column(db, numberSql).get(path, path, event) as string | null | undefined
    return text === null || text === undefined ? undefined : Number(text)
  }

  /** Like {@link #readNumber}, for an account field: some contents are computed when they are read. */
  #computeNumber(db: Database, event: number, present: Present): number | undefined {
    const body = column(db, 'SELECT body FROM event WHERE number = ?').get(event) as string | undefined
    // The event may have been deleted in the meantime.
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

const noEnds: ReadonlyMap<number, number> = new Map()
/** Selects the ends of events with a duration, by number. */
const endsSql = `SELECT number, until FROM event
  WHERE number IN (SELECT value FROM json_each(?)) AND until IS NOT NULL`
/** Selects the number at a path in the body of an event, as JSON. */
const numberSql = `SELECT CASE WHEN json_type(body, ?) IN ('integer', 'real') THEN body -> ? END
  FROM event WHERE number = ?`
