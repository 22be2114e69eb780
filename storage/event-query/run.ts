/**
 * A query under way. It answers page by page; between pages it keeps its place as plain values, nothing of the file. Each
 * page is bounded in rows answered and in rows looked at, so a page may be empty without being the last.
 */
import type { Database } from 'better-sqlite3'
import { pageBytes } from './bodies.js'
import { BodyScan, type BodyScanResult } from './body-look.js'
import { chooseObviousDriver, listDrivers, chooseNarrowestDriver, type Driver } from './drivers.js'
import type { EventFile } from './file.js'
import { copyBodies, copyMatchingBodies, type CopiedPage } from './copy.js'
import { QueryBudget } from './effort.js'
import { countRows, collectMatchingKeys } from './lanes.js'
import type { LaneRemainder } from './merge.js'
import { countModified, findModifiedKeys } from './modified.js'
import { addIfKnown, type EventPage, type Step } from './page.js'
import { isBefore, getRemainderFrom, type Key } from './position.js'
import { createRowTest, type EventQuery, type RowTest } from './query.js'
import { passing, type RowFilter } from './row-filter.js'
import { collect, keyAt, search } from './search.js'
import { lanesIn, segmentsOf, type Segment } from './segments.js'
import { takeFound, type Taken } from './taken.js'
import { probedRows, Trial, type Tried } from './trial.js'

/** Events in a page whose rows have to be found one by one. */
const foundRows = 500
/** Periods reaching a time that are sorted in memory. */
const fewPeriods = 1000
/** Rows looked at after which a page ends, whatever it holds. */
const examinedRows = 4000
/** For how many a row counts that comes from one of several lanes: it is looked up by itself, wherever it lies. */
const lookUpRows = 4
/** Rows that one step skips where nothing has to be looked at. */
const skippedRows = 50_000
/** Modified events that are sorted in memory: at once, or when nothing better is found. */
const fewModified = 200
const someModified = 5000

export class QueryRun {
  #drivers: readonly Driver[]
  #test: RowTest | undefined
  #segments: readonly Segment[]
  #driver: Driver | undefined
  #mayChange = false
  #hasBegun = false
  #hasChosen = false
  #position: Key | undefined
  /** All that matches, where that was few enough to be sorted; what is still to come. */
  #sorted: readonly Key[] | undefined
  /** Whether others may have written since the run began. */
  #isStale = false
  #hasSwept = false
  /** Whether a row has been met that cannot be copied as it is. */
  #holdsLarge = false
  /** Events that the next step finds: fewer where pages have been full before they were all read. */
  #rows = foundRows
  #look: BodyScan | undefined
  readonly #effort = new QueryBudget()
  readonly #trial = new Trial()
  /** Whether sorting all that was modified has turned out to be too much work. */
  #isUnsortable = false
  #skip: number
  #left: number

  constructor(private query: EventQuery) {
    this.#segments = segmentsOf(query)
    this.#drivers = listDrivers(query)
    this.#test = createRowTest(query)
    this.#skip = query.skip
    this.#left = query.limit
  }

  get isDone(): boolean {
    return this.#left === 0 || this.#segments.length === 0
  }

  /** Goes on with other streams and types than before, and shows what it finds otherwise; all else stays as it was. */
  follow({ present, streams, types }: Pick<EventQuery, 'present' | 'streams' | 'types'>): void {
    this.query = { ...this.query, present, streams, types }
    this.#drivers = listDrivers(this.query)
    this.#test = createRowTest(this.query)
    this.#driver = undefined
    this.#hasChosen = false
  }

  next(file: EventFile): EventPage {
    if (this.#hasBegun) this.#isStale = true
    else this.#begin(file)
    if (!this.#hasChosen) this.#choose(file)
    let text = ''
    let rows = 0
    let examined = 0
    let excess: number | undefined = 0
    while (!this.isDone && examined < examinedRows && rows < foundRows && text.length < pageBytes) {
      const step = this.#step(file, text.length)
      if (step.text !== '') text += text === '' ? step.text : `,${step.text}`
      rows += step.count
      examined += step.examined + this.#effort.takeRows()
      excess = addIfKnown(excess, step.excess)
      if (step.isFull) break
    }
    return { text, count: rows, done: this.isDone, excess }
  }

  #begin({ db }: EventFile): void {
    this.#hasBegun = true
    if (this.query.contents) this.#look = new BodyScan()
    const { modifiedSince } = this.query
    if (modifiedSince !== undefined && countModified(db, modifiedSince, fewModified + 1) <= fewModified)
      this.#hasChosen = this.#sort(db)
  }

  /** Chooses what to be driven by, as far as that can be said without looking. */
  #choose({ db }: EventFile): void {
    this.#hasChosen = true
    this.#driver = chooseObviousDriver(db, this.#drivers, this.query, this.#segments[0]?.range)
    this.#mayChange = !this.#driver && (this.#drivers.length > 0 || this.query.modifiedSince !== undefined)
  }

  /** Reads on, for a page that holds so many characters already. */
  #step(file: EventFile, held: number): Step {
    const { db } = file
    const { order } = this.query
    const segment = this.#segments[0]!
    if (typeof segment.periods === 'object') this.#sweep(file, segment)
    if (this.#sorted) return this.#stepSorted(file, this.#sorted, held)
    const { lanes, filter } = this.#plan(file, segment)
    const only = lanes.length === 1 ? lanes[0] : undefined
    const isCopied = only && !filter && !this.query.contents
    if (isCopied && this.#skip > 0) return this.#pass(db, only)
    if (isCopied && !this.#holdsLarge) {
      const copied = this.#copy(file, only)
      if (copied) return copied
      // Where one is, others are likely.
      this.#holdsLarge = true
    }
    if (only && filter && !this.#position && !this.query.contents && this.#skip === 0) {
      const matching = copyMatchingBodies(file, this.query, only, filter, this.#left, probedRows)
      if (matching) return this.#whole(matching)
    }
    const limit = this.#look?.rows ?? Math.min(this.#left + this.#skip, this.#rows)
    const found = filter
      ? search(file, lanes, order, filter, limit, this.#mayChange ? probedRows : undefined)
      : collect(file, lanes, order, limit)
    const before = this.#position
    const { wanted, cost, scannedTo: lookedTo } = this.#within(db, found.keys)
    const { stoppedAt, ...answer } = this.#answer(file, wanted, held)
    if (!answer.isFull) this.#moveTo(lookedTo ?? found.position)
    else if (stoppedAt) this.#moveTo(stoppedAt)
    const tried = this.#mayChange && found.position && this.#trial.add(before, found)
    if (tried) this.#reconsider(file, segment, tried, found.position.time)
    return { ...answer, examined: (only ? 1 : lookUpRows) * found.examined + cost(examinedRows) }
  }

  /** The rows of one lane as they are, as many as fit; `undefined` if one of them has to be looked at. */
  #copy(file: EventFile, rest: LaneRemainder): Step | undefined {
    const { order } = this.query
    const limit = Math.min(this.#left, file.sizeEstimate.rows)
    const copied = copyBodies(file, rest, order, limit)
    if (!copied) return undefined
    // It may have had to do with fewer.
    const { excess, limit: most, rows, text } = copied
    this.#left -= rows
    // Fewer than were to be copied are all that there are.
    const isOver = this.#left === 0 || rows < most
    this.#moveTo(isOver ? undefined : keyAt(file.db, rest, order, most - 1))
    return { text, count: rows, examined: 0, excess }
  }

  /** All that was left to be read. */
  #whole({ excess, rows, text }: CopiedPage): Step {
    this.#left = 0
    return { text, count: rows, examined: 0, excess }
  }

  /** Skips rows of one lane without looking at them. */
  #pass(db: Database, { lane, ranges }: LaneRemainder): Step {
    const { order } = this.query
    const rows = Math.min(this.#skip, skippedRows)
    const last = keyAt(db, { lane, ranges }, order, rows - 1)
    if (last) this.#skip -= rows
    else for (const range of ranges) this.#skip -= countRows(db, lane, order, range, rows)
    this.#moveTo(last)
    return { text: '', count: 0, examined: (rows * examinedRows) / skippedRows }
  }

  /** The next of the keys in memory. Others may have moved, trashed or deleted what they stand for meanwhile. */
  #stepSorted(file: EventFile, sorted: readonly Key[], held: number): Step {
    const most = sorted.slice(0, this.#look?.rows ?? this.#rows)
    const { found, next } = this.#isStale ? this.#stillMatching(file.db, most) : { found: most, next: most }
    const { wanted, cost, scannedTo: lookedTo = next.at(-1) } = this.#within(file.db, found)
    const { stoppedAt, ...answer } = this.#answer(file, wanted, held)
    const last = answer.isFull ? stoppedAt : lookedTo
    const left = last ? sorted.slice(sorted.indexOf(last) + 1) : sorted
    this.#sorted = left.length === 0 ? undefined : left
    if (!this.#sorted) this.#moveTo(undefined)
    return { ...answer, examined: cost(examinedRows) }
  }

  /** Those of the next keys that still match, as far as there is time to look. */
  #stillMatching(db: Database, keys: readonly Key[]): { found: Key[]; next: readonly Key[] } {
    const filter = this.#filter(this.#segments[0]!, undefined)
    const numbers = keys.map(({ number }) => number)
    const { looked, pass } = passing(db, filter, numbers, this.query.trashed)
    const next = keys.slice(0, looked)
    return { found: next.filter(({ number }) => pass.has(number)), next }
  }

  /** Those of the events whose contents are wanted. */
  #within(db: Database, found: readonly Key[]): BodyScanResult {
    const { contents } = this.query
    if (!contents || !this.#look) return { wanted: found, scannedTo: undefined, cost: () => 0 }
    return this.#look.scan(db, contents, found)
  }

  #answer(file: EventFile, found: readonly Key[], held: number): Taken {
    const wanted = { skip: this.#skip, left: this.#left, held, present: this.query.present }
    const taken = takeFound(file, found, wanted)
    this.#skip -= taken.skipped
    this.#left -= taken.count
    this.#rows = Math.max(1, Math.min(2 * (taken.isFull ? taken.count : this.#rows), foundRows))
    return taken
  }

  /** After steps up to a time that found little: something narrower may lead there sooner. */
  #reconsider(file: EventFile, { range, periods }: Segment, { examined, from }: Tried, end: number): void {
    const { db } = file
    const { modifiedSince, order, trashed } = this.query
    const isSortable = modifiedSince !== undefined && !this.#isUnsortable
    if (isSortable && countModified(db, modifiedSince, someModified + 1) <= someModified && this.#sort(db))
      return
    if (periods) return
    this.#driver = chooseNarrowestDriver(file, this.#drivers, trashed, order, {
      seen: { start: from?.time ?? range.start, end },
      all: { start: end, end: range.end },
      examined
    })
    if (this.#driver) this.#mayChange = false
  }

  /** Answers whether that was not too much work. */
  #sort(db: Database): boolean {
    const position = this.#position
    const sorted = findModifiedKeys(db, this.query, { test: this.#test, effort: this.#effort })
    this.#isUnsortable = !sorted
    if (!sorted) return false
    this.#sorted = position ? sorted.filter(key => isBefore(position, key, this.query.order)) : sorted
    this.#segments = this.#segments.slice(0, 1)
    return true
  }

  /** The periods that reach into the times asked for, at once if they are few. */
  #sweep({ db, spans }: EventFile, segment: Segment): void {
    if (this.#hasSwept || this.#sorted) return
    this.#hasSwept = true
    const { order } = this.query
    const { parts, driver } = lanesIn(segment, this.#driver, this.#drivers, this.query, spans)
    const found = collectMatchingKeys(db, parts, order, this.#filter(segment, driver), fewPeriods)
    this.#sorted = found?.toSorted((a, b) => (isBefore(a, b, order) ? -1 : 1))
  }

  /** Goes on after a key, or with the next segment. */
  #moveTo(position: Key | undefined): void {
    if (position) this.#position = position
    else {
      this.#segments = this.#segments.slice(1)
      this.#trial.end()
    }
  }

  /** What is left to read in a segment, and what its rows have to be tested for. */
  #plan({ spans }: EventFile, segment: Segment): { lanes: LaneRemainder[]; filter: RowFilter | undefined } {
    const { order } = this.query
    const { parts, driver } = lanesIn(segment, this.#driver, this.#drivers, this.query, spans)
    const lanes: LaneRemainder[] = []
    for (const { lane, range } of parts) {
      const ranges = getRemainderFrom(range, this.#position, order)
      if (ranges.length > 0) lanes.push({ lane, ranges })
    }
    const filter = this.#filter(segment, driver)
    const isFree = !filter.test && filter.modifiedAfter === -Infinity && filter.endFrom === -Infinity
    return { lanes, filter: isFree ? undefined : filter }
  }

  /** What rows have to be tested for that come from the lanes of a driver, or of none. */
  #filter({ periods }: Segment, driver: Driver | undefined): RowFilter {
    const endFrom = typeof periods === 'object' ? periods.reaching : -Infinity
    const test = driver?.isExact ? undefined : this.#test
    return { modifiedAfter: this.query.modifiedSince ?? -Infinity, endFrom, test, effort: this.#effort }
  }
}
