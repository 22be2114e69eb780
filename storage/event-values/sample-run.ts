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
import { LaneRows, rowsAtOnce, type LaneRow, type Place, type StateOfStream } from './lane-rows.js'
import { Membership, type StreamWalk } from './membership.js'
import type { Milestones } from './milestones.js'
import { Parts, type Division, type Sample } from './parts.js'

export interface SampleQuery extends Division {
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
const dense = 24
const sparse = 12
/** Events in a file from which on a part may hold too many to be summed up in one go. */
const large = 200_000

/** Where the run is. */
interface Lane extends StateOfStream {
  at: Place | undefined
  /** Whether the last part held enough to be summed up. */
  isDense: boolean
  /** Before that time rows are read one by one. */
  oddBefore: number
  /** Whether events of several streams, of which this is the first, have been met. */
  isHome: boolean
  /** Before that time rows are not too many to be summed up. */
  reach: number
}

const fresh = { isDense: false, oddBefore: -Infinity, isHome: false }

export class SampleRun {
  readonly #parts: Parts
  readonly #membership: Membership
  readonly #rows: LaneRows
  /** Of events in several streams only. */
  readonly #shared: LaneRows
  readonly #streams: StreamWalk
  readonly #end: number
  /** States of the present stream that are still to come. */
  readonly #lanes: Lane[] = []
  /** Rows that have been read and not looked at. */
  #read: LaneRow[] = []
  #isDone = false
  #isLarge = true

  constructor(private readonly query: SampleQuery) {
    const { field, streams, types } = query
    this.#parts = new Parts(query)
    this.#end = this.#parts.start(query.parts)
    this.#membership = new Membership(streams)
    const wanted = { field, types: types && [...types] }
    this.#rows = new LaneRows(wanted)
    this.#shared = new LaneRows({ ...wanted, areShared: true })
    this.#streams = this.#membership.streams()
  }

  /** Goes on for a few milliseconds; answers whether all has been looked at. */
  next(db: Database, milestones: Milestones, present: Present): boolean {
    this.#isLarge = ((column(db, 'SELECT max(number) FROM event').get() as number | null) ?? 0) > large
    const end = performance.now() + stepMs
    while (!this.#isDone && performance.now() < end) this.#step(db, milestones, end, present)
    return this.#isDone
  }

  /** What has been found, part by part. */
  samples(): Sample[] {
    return this.#parts.samples()
  }

  #step(db: Database, milestones: Milestones, end: number, present: Present): void {
    const lane = this.#lanes[0]
    if (!lane) return this.#begin(db)
    if (this.#read.length > 0) return this.#look(db, lane, end, present)
    const { at } = lane
    if (!at) return void this.#lanes.shift()
    if (at.after !== undefined || !lane.isDense || at.time < lane.oddBefore) return this.#readOn(db, lane, at)
    if (this.#isLarge && at.time >= lane.reach) lane.reach = milestones.reach(db, lane, at.time)
    this.#sum(db, lane, at)
  }

  /** Takes up the next stream. */
  #begin(db: Database): void {
    const stream = this.#streams.next(db)
    if (stream === undefined) this.#isDone = true
    else if (this.#membership.has(stream))
      for (const trashed of this.query.trashed)
        this.#lanes.push({
          ...fresh,
          stream,
          trashed,
          at: { time: this.query.from },
          reach: this.#isLarge ? -Infinity : Infinity
        })
  }

  /** Sums up what is left of a part, or as much of it as goes at once. */
  #sum(db: Database, lane: Lane, { time }: Place): void {
    const part = this.#parts.at(time)
    const before = Math.min(this.#parts.start(part + 1), lane.reach)
    // So many events of one time are read one by one.
    if (before === time) return void (lane.oddBefore = nextDouble(time, 'ASC'))
    const range = [time, before] as const
    const { areFree } = this.#membership
    const { odd, ...sums } = this.#rows.sums(db, lane, range, areFree && lane.isHome)
    if (odd > 0) {
      if (areFree && !lane.isHome) lane.isHome = true
      else lane.oddBefore = before
      return
    }
    const { count } = sums
    const edge = (order: 'ASC' | 'DESC') =>
      count === 0 ? undefined : this.#rows.edge(db, lane, range, order)
    // Where there are numbers, nobody asks for what has none.
    const all = count === 0 ? this.#rows.count(db, lane, range) : count
    this.#parts.add(part, { all, ...sums, first: edge('ASC'), last: edge('DESC') })
    lane.at = before < this.#end ? { time: before } : undefined
    lane.isDense = all >= sparse
  }

  /** Reads the next rows. */
  #readOn(db: Database, lane: Lane, at: Place): void {
    const { areFree } = this.#membership
    const isLive = lane.stream < 0
    const areShared = !areFree && !this.#membership.meets(lane.stream, null)
    const { rest, rows } = (areShared ? this.#shared : this.#rows).next(db, lane, at, this.#end)
    this.#read = isLive ? rows.map(row => ({ ...row, isBeyond: true })) : rows
    lane.at = rest
    if (rows.length < rowsAtOnce || isLive || areShared) return
    const parts = this.#parts.at(rows.at(-1)!.time) - this.#parts.at(rows[0]!.time) + 1
    lane.isDense = rows.length >= dense * parts
  }

  /** Looks at the rows that have been read, as far as there is time for. */
  #look(db: Database, lane: Lane, end: number, present: Present): void {
    const rows = this.#read
    let at = 0
    let hasTime = true
    while (at < rows.length && hasTime) {
      const row = rows[at++]!
      if (this.#counts(db, lane, row))
        this.#parts.count(row, row.isBeyond ? this.#within(db, lane, row.number, present) : row.value)
      if (row.isBeyond || at % 16 === 0) hasTime = performance.now() < end
    }
    this.#read = rows.slice(at)
  }

  /** Whether an event counts in this stream. */
  #counts(db: Database, { stream }: Lane, { home, number }: LaneRow): boolean {
    if (home === null) return true
    if (this.#membership.areFree && this.#membership.has(home)) return home === stream
    return this.#membership.homeOf(db, number) === stream
  }

  /** The number within a content that is not what the index holds. */
  #within(db: Database, { stream }: Lane, event: number, present: Present): number | undefined {
    const { field } = this.query
    if (stream < 0 || field === undefined) return this.#live(db, event, present)
    // SQLite finds it without making objects of a body that may be of many megabytes.
    const path = `$.content."${field.replaceAll('.', '"."')}"`
    const text = column(db, numberSql).get(path, path, event) as string | null | undefined
    return text === null || text === undefined ? undefined : Number(text)
  }

  /** As {@link #within}, of a value of the account: some are worked out when they are read. */
  #live(db: Database, event: number, present: Present): number | undefined {
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
