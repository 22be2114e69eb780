/**
 * Runs a query page by page. Between pages it holds its position as plain values, and nothing of the file. Pages are bounded in rows
 * returned and examined, so one may be empty without being the last.
 */
import type { Database } from 'better-sqlite3'
import { pageBytes } from './bodies.js'
import { BodyScan, type BodyScanResult } from './content.js'
import { chooseObviousDriver, listDrivers, chooseNarrowestDriver, type Driver } from './drivers.js'
import type { EventFile } from './event-file.js'
import { copyBodies, copyMatchingBodies, type CopiedPage } from './copy-bodies.js'
import { QueryBudget } from './query-budget.js'
import { countRows, collectMatchingKeys } from './lanes.js'
import type { LaneRemainder } from './merge.js'
import { countModified, findModifiedKeys } from './modified.js'
import { addIfKnown, type EventPage, type Step } from './page.js'
import { isBefore, getRemainderFrom, type Key } from './position.js'
import { createRowTest, type EventQuery, type RowTest } from './query.js'
import { findPassingNumbers, type RowFilter } from './row-filter.js'
import { collectKeys, findKeyAt, searchLanes } from './search.js'
import { listSegmentLanes, splitIntoSegments, type Segment } from './segments.js'
import { takeEvents, type TakenEvents } from './take-events.js'
import { probedRows, DriverProbe, type ProbeResult } from './driver-probe.js'
import { limits } from './query-limits.js'

const { lookupCost, maxExaminedRows, maxFoundRows, maxModifiedLater, maxSkippedRows } = limits

export class QueryRun {
  #drivers: readonly Driver[]
  #test: RowTest | undefined
  #segments: readonly Segment[]
  #driver: Driver | undefined
  #mayChange = false
  #hasBegun = false
  #hasChosen = false
  #position: Key | undefined
  /** The matching events that remain to be returned, if they were few enough to be sorted in memory. */
  #sorted: readonly Key[] | undefined
  /** True if other writes may have happened since the run began. */
  #isStale = false
  #hasCollectedPeriods = false
  /** True once a row was found that cannot be copied as it is. */
  #holdsLarge = false
  /** Number of events that the next step looks up: fewer after pages that were full before all were read. */
  #stepRows = maxFoundRows
  #bodyScan: BodyScan | undefined
  readonly #budget = new QueryBudget()
  readonly #probe = new DriverProbe()
  /** True if sorting all modified events exceeded the work limit. */
  #isUnsortable = false
  #skip: number
  #remaining: number

  constructor(private query: EventQuery) {
    this.#segments = splitIntoSegments(query)
    this.#drivers = listDrivers(query)
    this.#test = createRowTest(query)
    this.#skip = query.skip
    this.#remaining = query.limit
  }

  /** Whether nothing remains to be read. */
  get isDone(): boolean {
    return this.#remaining === 0 || this.#segments.length === 0
  }

  /** Continues with other streams and types, and another presentation; everything else is unchanged. */
  updateScope({ present, streams, types }: Pick<EventQuery, 'present' | 'streams' | 'types'>): void {
    this.query = { ...this.query, present, streams, types }
    this.#drivers = listDrivers(this.query)
    this.#test = createRowTest(this.query)
    this.#driver = undefined
    this.#hasChosen = false
  }

  /** Returns the next page, which may be empty before the end, of what is in the file by then. */
  next(file: EventFile): EventPage {
    if (this.#hasBegun) this.#isStale = true
    else this.#start(file)
    if (!this.#hasChosen) this.#chooseDriver(file)
    let text = ''
    let rows = 0
    let examined = 0
    let excess: number | undefined = 0
    while (!this.isDone && examined < maxExaminedRows && rows < maxFoundRows && text.length < pageBytes) {
      const step = this.#step(file, text.length)
      if (step.text !== '') text += text === '' ? step.text : `,${step.text}`
      rows += step.count
      examined += step.examined + this.#budget.takeRows()
      excess = addIfKnown(excess, step.excess)
      if (step.isFull) break
    }
    return { text, count: rows, done: this.isDone, excess }
  }

  #start({ db }: EventFile): void {
    this.#hasBegun = true
    if (this.query.contents) this.#bodyScan = new BodyScan()
    const { modifiedSince } = this.query
    const max = limits.maxModifiedUpfront
    if (modifiedSince !== undefined && countModified(db, modifiedSince, max + 1) <= max)
      this.#hasChosen = this.#sortModified(db)
  }

  /** Chooses the driver, if that is possible without looking at rows. */
  #chooseDriver({ db }: EventFile): void {
    this.#hasChosen = true
    this.#driver = chooseObviousDriver(db, this.#drivers, this.query, this.#segments[0]?.range)
    this.#mayChange = !this.#driver && (this.#drivers.length > 0 || this.query.modifiedSince !== undefined)
  }

  /** Executes one step, for a page that already holds `heldBytes` characters. */
  #step(file: EventFile, heldBytes: number): Step {
    const { db } = file
    const { order } = this.query
    const segment = this.#segments[0]!
    if (typeof segment.periods === 'object') this.#collectPeriods(file, segment)
    if (this.#sorted) return this.#stepSorted(file, this.#sorted, heldBytes)
    const { lanes, filter } = this.#plan(file, segment)
    const singleLane = lanes.length === 1 ? lanes[0] : undefined
    const canCopy = singleLane && !filter && !this.query.contents
    if (canCopy && this.#skip > 0) return this.#skipRows(db, singleLane)
    if (canCopy && !this.#holdsLarge) {
      const copied = this.#copyRows(file, singleLane)
      if (copied) return copied
      // If one row is large, others are likely to be.
      this.#holdsLarge = true
    }
    if (singleLane && filter && !this.#position && !this.query.contents && this.#skip === 0) {
      const matching = copyMatchingBodies(file, this.query, singleLane, filter, this.#remaining, probedRows)
      if (matching) return this.#toFinalStep(matching)
    }
    const limit = this.#bodyScan?.rows ?? Math.min(this.#remaining + this.#skip, this.#stepRows)
    const found = filter
      ? searchLanes(file, lanes, order, filter, limit, this.#mayChange ? probedRows : undefined)
      : collectKeys(file, lanes, order, limit)
    const before = this.#position
    const { wanted, cost, scannedTo } = this.#filterByContent(db, found.keys)
    const { stoppedAt, ...answer } = this.#takeEvents(file, wanted, heldBytes)
    if (!answer.isFull) this.#moveTo(scannedTo ?? found.position)
    else if (stoppedAt) this.#moveTo(stoppedAt)
    const probed = this.#mayChange && found.position && this.#probe.record(before, found)
    if (probed) this.#reconsiderDriver(file, segment, probed, found.position.time)
    const lookups = (singleLane ? 1 : lookupCost) * found.examined
    // Skipped rows cost as much.
    return { ...answer, examined: lookups + cost(maxExaminedRows) + answer.skipped }
  }

  /** Copies as many rows of one lane as fit; `undefined` if one of the rows has to be read by itself. */
  #copyRows(file: EventFile, rest: LaneRemainder): Step | undefined {
    const { order } = this.query
    const copied = copyBodies(file, rest, order, Math.min(this.#remaining, file.sizeEstimate.rows))
    if (!copied) return undefined
    // Fewer may have been copied.
    const { excess, limit, rows, text } = copied
    this.#remaining -= rows
    // If fewer than the limit were copied, the end was reached.
    const isExhausted = this.#remaining === 0 || rows < limit
    this.#moveTo(isExhausted ? undefined : findKeyAt(file.db, rest, order, limit - 1))
    return { text, count: rows, examined: 0, excess }
  }

  /** Returns the remaining rows as the last step. */
  #toFinalStep({ excess, rows, text }: CopiedPage): Step {
    this.#remaining = 0
    return { text, count: rows, examined: 0, excess }
  }

  /** Skips rows of one lane without reading them. */
  #skipRows(db: Database, { lane, ranges }: LaneRemainder): Step {
    const { order } = this.query
    const rows = Math.min(this.#skip, maxSkippedRows)
    const last = findKeyAt(db, { lane, ranges }, order, rows - 1)
    if (last) this.#skip -= rows
    else for (const range of ranges) this.#skip -= countRows(db, lane, order, range, rows)
    this.#moveTo(last)
    return { text: '', count: 0, examined: (rows * maxExaminedRows) / maxSkippedRows }
  }

  /** Takes the next keys from memory. Their events may have been moved, trashed or deleted in the meantime. */
  #stepSorted(file: EventFile, sorted: readonly Key[], heldBytes: number): Step {
    const limited = sorted.slice(0, this.#bodyScan?.rows ?? this.#stepRows)
    const { found, next } = this.#isStale
      ? this.#recheckMatching(file.db, limited)
      : { found: limited, next: limited }
    const { wanted, cost, scannedTo = next.at(-1) } = this.#filterByContent(file.db, found)
    const { stoppedAt, ...answer } = this.#takeEvents(file, wanted, heldBytes)
    const last = answer.isFull ? stoppedAt : scannedTo
    const left = last ? sorted.slice(sorted.indexOf(last) + 1) : sorted
    this.#sorted = left.length === 0 ? undefined : left
    if (!this.#sorted) this.#moveTo(undefined)
    return { ...answer, examined: cost(maxExaminedRows) + answer.skipped }
  }

  /** Returns which of the next keys still match, within the work limit. */
  #recheckMatching(db: Database, keys: readonly Key[]): { found: Key[]; next: readonly Key[] } {
    const filter = this.#createFilter(this.#segments[0]!, undefined)
    const numbers = keys.map(({ number }) => number)
    const { tested, pass } = findPassingNumbers(db, filter, numbers, this.query.trashed)
    const next = keys.slice(0, tested)
    return { found: next.filter(({ number }) => pass.has(number)), next }
  }

  /** Returns the events whose contents match. */
  #filterByContent(db: Database, found: readonly Key[]): BodyScanResult {
    const { contents } = this.query
    if (!contents || !this.#bodyScan) return { wanted: found, scannedTo: undefined, cost: () => 0 }
    return this.#bodyScan.scan(db, contents, found)
  }

  #takeEvents(file: EventFile, found: readonly Key[], heldBytes: number): TakenEvents {
    const wanted = { skip: this.#skip, remaining: this.#remaining, heldBytes, present: this.query.present }
    const taken = takeEvents(file, found, wanted)
    this.#skip -= taken.skipped
    this.#remaining -= taken.count
    this.#stepRows = Math.max(1, Math.min(2 * (taken.isFull ? taken.count : this.#stepRows), maxFoundRows))
    return taken
  }

  /** Looks for a narrower driver after steps that found little up to a time. */
  #reconsiderDriver(
    file: EventFile,
    { range, periods }: Segment,
    { examined, from }: ProbeResult,
    end: number
  ): void {
    const { db } = file
    const { modifiedSince, order, trashed } = this.query
    const isSortable = modifiedSince !== undefined && !this.#isUnsortable
    if (
      isSortable &&
      countModified(db, modifiedSince, maxModifiedLater + 1) <= maxModifiedLater &&
      this.#sortModified(db)
    )
      return
    if (periods) return
    this.#driver = chooseNarrowestDriver(file, this.#drivers, trashed, order, {
      seen: { start: from?.time ?? range.start, end },
      all: { start: end, end: range.end },
      examined
    })
    if (this.#driver) this.#mayChange = false
  }

  /** Sorts the modified events. Returns `false` if that exceeds the work limit. */
  #sortModified(db: Database): boolean {
    const position = this.#position
    const sorted = findModifiedKeys(db, this.query, { test: this.#test, budget: this.#budget })
    this.#isUnsortable = !sorted
    if (!sorted) return false
    this.#sorted = position ? sorted.filter(key => isBefore(position, key, this.query.order)) : sorted
    this.#segments = this.#segments.slice(0, 1)
    return true
  }

  /** Collects the periods that reach into the requested times, if they are few. */
  #collectPeriods(file: EventFile, segment: Segment): void {
    if (this.#hasCollectedPeriods || this.#sorted) return
    this.#hasCollectedPeriods = true
    const { order } = this.query
    const { parts, driver } = this.#listLanes(file, segment)
    const filter = this.#createFilter(segment, driver)
    const found = collectMatchingKeys(file.db, parts, order, filter, limits.maxSortedPeriods)
    this.#sorted = found?.toSorted((a, b) => (isBefore(a, b, order) ? -1 : 1))
  }

  /** Continues after a key, or with the next segment. */
  #moveTo(position: Key | undefined): void {
    if (position) this.#position = position
    else {
      this.#segments = this.#segments.slice(1)
      this.#probe.reset()
    }
  }

  /** Returns what remains to be read of a segment, and the filter for its rows. */
  #plan(file: EventFile, segment: Segment): { lanes: LaneRemainder[]; filter: RowFilter | undefined } {
    const { order } = this.query
    const { parts, driver } = this.#listLanes(file, segment)
    const lanes: LaneRemainder[] = []
    for (const { lane, range } of parts) {
      const ranges = getRemainderFrom(range, this.#position, order)
      if (ranges.length > 0) lanes.push({ lane, ranges })
    }
    const filter = this.#createFilter(segment, driver)
    const isFree = !filter.test && filter.modifiedAfter === -Infinity && filter.endFrom === -Infinity
    return { lanes, filter: isFree ? undefined : filter }
  }

  /** Creates the filter for rows from the lanes of a driver; without `driver`, for rows in order of time. */
  #createFilter({ periods }: Segment, driver: Driver | undefined): RowFilter {
    const endFrom = typeof periods === 'object' ? periods.reachingTime : -Infinity
    const test = driver?.isExact ? undefined : this.#test
    return { modifiedAfter: this.query.modifiedSince ?? -Infinity, endFrom, test, budget: this.#budget }
  }

  #listLanes({ durationClasses }: EventFile, segment: Segment): ReturnType<typeof listSegmentLanes> {
    return listSegmentLanes(segment, this.#driver, this.#drivers, this.query, durationClasses)
  }
}
