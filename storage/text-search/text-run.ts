/**
 * Runs a search in texts page by page, as `QueryRun`. Tests the events found by rare words; callers that do not see
 * everything search only where they may read. If all words are frequent, scans all events with texts in order of time.
 * Events that are not indexed yet are read first, and merged in.
 */
import type { Database } from 'better-sqlite3'
import { pageBytes } from '../event-query/bodies.js'
import { BodyScan } from '../event-query/content.js'
import { QueryBudget } from '../event-query/query-budget.js'
import type { EventFile } from '../event-query/event-file.js'
import { collectMatchingKeys } from '../event-query/lanes.js'
import { isBefore, getRemainderFrom, type Key, type KeyRange } from '../event-query/position.js'
import { createRowTest, type EventQuery, type RowTest, type TextSearch } from '../event-query/query.js'
import type { EventPage } from '../event-query/page.js'
import { listSegmentLanes, splitIntoSegments, type Segment } from '../event-query/segments.js'
import { takeEvents, type TakenEvents } from '../event-query/take-events.js'
import { column } from '../sqlite/statements.js'
import { findInPlaces } from './find-in-places.js'
import { listKeysInStreams, filterKeysByWords, type StreamKeys } from './stream-keys.js'
import {
  countKeysHolding,
  readKeys,
  findByWords,
  findInRange,
  filterKeys,
  countRowsHolding,
  findTextKeyAt,
  type TextFilter
} from './text-lane.js'
import { TextTail } from './text-tail.js'

/** Maximum number of events in a page. */
const maxPageRows = 500
/** Duration after which a page ends, whatever it holds, in milliseconds. */
const maxPageMs = 8
/** Target duration of a step, in milliseconds: texts have a few words, or a hundred thousand characters. */
const stepMs = 4
/** Maximum number of bytes of text that a step scans, once for each word; at least one text is scanned. */
const maxStepBytes = 4 * 1024 * 1024
/** Initial and maximum number of texts per step. */
const initialRows = 200
const maxRows = 2000
/** Number of events that are not indexed above which indexing is requested. */
const maxPendingUnrequested = 500
/** Maximum number of periods reaching a time that are tested one by one. */
const maxSingleKeys = 1000

/** A part of the search, in order and up to a time: given events, or the texts in ranges. */
type SearchPart = { readonly end: number } & (
  | { keys: readonly Key[]; isUnconditional?: boolean }
  | { stretches: readonly KeyRange[] }
)

/** The result of a step: events that pass, and the position to continue from; absent at the end of the part. */
interface StepResult {
  readonly keys: readonly Key[]
  readonly position: Key | undefined
}

/** The progress of one query that searches for words. */
export class TextRun {
  #parts: SearchPart[] | undefined
  /** The number of the last event that was indexed when the run began; later events come from {@link #tail}. */
  #indexedTo = 0
  #tail: TextTail | undefined
  /** True if other writes may have happened since the tail was read. */
  #isStale = false
  #test: RowTest | undefined
  #stepRows = initialRows
  #skip: number
  #remaining: number
  readonly #bodyScan: BodyScan | undefined
  readonly #budget = new QueryBudget()

  constructor(
    private query: EventQuery,
    private readonly text: TextSearch
  ) {
    this.#test = createRowTest(query)
    this.#skip = query.skip
    this.#remaining = query.limit
    if (query.contents) this.#bodyScan = new BodyScan()
  }

  /** Whether nothing remains to be read. */
  get isDone(): boolean {
    return this.#remaining === 0 || this.#parts?.length === 0
  }

  /** Continues with other streams and types, and another presentation; everything else is unchanged. */
  updateScope({ present, streams, types }: Pick<EventQuery, 'present' | 'streams' | 'types'>): void {
    this.query = { ...this.query, present, streams, types }
    this.#test = createRowTest(this.query)
    this.#parts = this.#parts?.map(part => ('keys' in part ? { ...part, isUnconditional: false } : part))
  }

  /** Reads the next page, for at most {@link maxPageMs}: a page may be empty although more follow. */
  next(file: EventFile): EventPage {
    const untilMs = performance.now() + maxPageMs
    this.#isStale = this.#tail?.isComplete === true
    this.#parts ??= this.#findParts(file)
    let text = ''
    let rows = 0
    while (!this.isDone && rows < maxPageRows && text.length < pageBytes) {
      if (!this.#readTail(file, untilMs)) break
      const step = this.#step(file, this.#parts, text.length)
      if (step.text !== '') text += text === '' ? step.text : `,${step.text}`
      rows += step.count
      if (step.isFull || performance.now() > untilMs) break
    }
    return { text, count: rows, done: this.isDone, excess: undefined }
  }

  /** Returns the parts of the search: hits of the index, and events that are not indexed yet. */
  #findParts(file: EventFile): SearchPart[] {
    const { from = -Infinity, isRunning, order, to = Infinity } = this.query
    if (from > to && !isRunning) return []
    this.#indexedTo = file.texts.indexedTo
    const last = column(file.db, 'SELECT ifnull(max(number), 0) FROM event').get() as number
    if (last > this.#indexedTo) {
      const wanted = this.#bodyScan ? Infinity : this.#skip + this.#remaining
      this.#tail = new TextTail(this.#indexedTo, last, order, wanted)
      if (last - this.#indexedTo > maxPendingUnrequested) file.texts.requestIndexing()
    }
    const found = this.#findKeys(file.db)
    if (!found) return splitIntoSegments(this.query).map(segment => this.#toPart(file, segment))
    const keys = found.keys.toSorted((a, b) => (isBefore(a, b, order) ? -1 : 1))
    return [{ keys, isUnconditional: found.isUnconditional, end: order === 'ASC' ? Infinity : -Infinity }]
  }

  /**
   * Returns the keys of the events that may contain the words; `undefined` if these are too many: then rows are read
   * instead.
   */
  #findKeys(db: Database): StreamKeys | undefined {
    const { mayUseIndex, words } = this.text
    const numbers = mayUseIndex ? findByWords(db, words) : findInPlaces(db, this.query, this.text)
    if (numbers) return { keys: readKeys(db, numbers), isUnconditional: false }
    return mayUseIndex ? undefined : listKeysInStreams(db, this.query)
  }

  /** Reads the events that are not indexed, as long as there is time. Returns whether all were read. */
  #readTail({ db }: EventFile, untilMs: number): boolean {
    const tail = this.#tail
    if (!tail || tail.isComplete) return true
    const filter = this.#filter
    while (!tail.isComplete) {
      if (performance.now() > untilMs) return false
      tail.read(db, filter)
    }
    return true
  }

  /** Tests periods that reach a time, or that run, one by one if they are few. */
  #toPart({ db, durationClasses }: EventFile, segment: Segment): SearchPart {
    const { order } = this.query
    const { end } = segment.range
    const all = { stretches: [segment.range], end }
    if (!segment.periods) return all
    const { parts } = listSegmentLanes(segment, undefined, [], this.query, durationClasses)
    const keys = collectMatchingKeys(db, parts, order, this.#filter.rows, maxSingleKeys)
    return keys ? { keys: keys.toSorted((a, b) => (isBefore(a, b, order) ? -1 : 1)), end } : all
  }

  get #filter(): TextFilter {
    const { from = -Infinity, isRunning, modifiedSince = -Infinity, to = Infinity, trashed } = this.query
    const endFrom = isRunning ? Infinity : from
    const rows = { modifiedAfter: modifiedSince, endFrom, test: this.#test, budget: this.#budget }
    return { rows, trashed, to, text: this.text }
  }

  /** Tests the next keys or rows of the first part, and takes the matching events until the page is full. */
  #step(
    file: EventFile,
    parts: SearchPart[],
    heldBytes: number
  ): { text: string; count: number; isFull: boolean } {
    const { db } = file
    const part = parts[0]!
    const start = performance.now()
    const indexed = 'keys' in part ? this.#testKeys(db, part) : this.#scanRange(db, part.stretches)
    this.#adaptRows(performance.now() - start)
    const end = 'keys' in part ? part.end : part.stretches[0]!.end
    const found = this.#tail ? this.#mergeTail(db, this.#tail, indexed, end) : this.#onlyIndexed(indexed)
    const { contents } = this.query
    const scanned = contents && this.#bodyScan?.scan(db, contents, found.keys)
    const { stoppedAt, ...answer } = this.#takeEvents(file, scanned?.wanted ?? found.keys, heldBytes)
    // If the page was full before the first event of this step, the position is unchanged.
    if (answer.isFull && !stoppedAt) return answer
    const position = answer.isFull ? stoppedAt : (scanned?.scannedTo ?? found.position)
    parts.splice(0, 1, ...getRemainder(part, position, this.query.order))
    this.#tail?.discardUpTo(position, end)
    return answer
  }

  /** Removes events that were indexed after the run began. */
  #onlyIndexed({ keys, position }: StepResult): StepResult {
    return { keys: keys.filter(({ number }) => number <= this.#indexedTo), position }
  }

  /** Merges events of the tail into the result. `end`: the time up to which the result reaches if it has no position. */
  #mergeTail(db: Database, tail: TextTail, indexed: StepResult, end: number): StepResult {
    const next = tail.listUpTo(indexed.position, end, maxPageRows)
    const { keys, position } = this.#onlyIndexed(indexed)
    if (next.keys.length === 0) return { keys, position }
    const { order } = this.query
    const last = next.isPart ? next.keys.at(-1)! : position
    const within = last ? keys.filter(key => !isBefore(last, key, order)) : keys
    const others = this.#isStale ? tail.recheck(db, this.#filter, next.keys) : next.keys
    const all = [...within, ...others].toSorted((a, b) => (isBefore(a, b, order) ? -1 : 1))
    return { keys: all, position: last }
  }

  /**
   * Returns those of the next keys that match, and the position of the last one tested; `undefined` if all have been.
   */
  #testKeys(
    db: Database,
    { isUnconditional, keys }: { readonly keys: readonly Key[]; readonly isUnconditional?: boolean }
  ): StepResult {
    if (isUnconditional && keys.length > 0) {
      const most = this.#bodyScan?.rows ?? Math.min(this.#remaining + this.#skip, maxPageRows)
      const untilMs = performance.now() + stepMs
      const { found, scanned: tested } = filterKeysByWords(db, keys, this.text.words, {
        limit: most,
        untilMs
      })
      // The events may have been moved out of these streams in the meantime.
      const { keys: passing, scanned } = filterKeys(db, this.#filter, found)
      if (scanned < found.length) return { keys: passing, position: found[scanned - 1] }
      return { keys: passing, position: tested === keys.length ? undefined : keys[tested - 1] }
    }
    const limited = keys.slice(
      0,
      this.#bodyScan ? Math.min(this.#bodyScan.rows, this.#stepRows) : this.#stepRows
    )
    const next = limited.slice(0, countKeysHolding(db, limited, this.#stepBytes))
    const { keys: found, scanned } = filterKeys(db, this.#filter, next)
    return { keys: found, position: scanned === keys.length ? undefined : next[scanned - 1] }
  }

  #scanRange(db: Database, [stretch]: readonly KeyRange[]): StepResult {
    const { order } = this.query
    const rows = countRowsHolding(db, order, stretch!, this.#stepRows, this.#stepBytes)
    const limit = this.#bodyScan?.rows ?? Math.min(this.#remaining + this.#skip, maxPageRows)
    const { keys, scanned } = findInRange(db, this.#filter, order, stretch!, rows, limit)
    return {
      keys,
      position: keys.length === limit ? keys.at(-1) : findTextKeyAt(db, order, stretch!, scanned - 1)
    }
  }

  /** Texts are read once, and scanned for each word. */
  get #stepBytes(): number {
    return maxStepBytes / (1 + this.text.words.length)
  }

  #adaptRows(tookMs: number): void {
    this.#stepRows =
      tookMs > stepMs ? Math.max(1, Math.floor(this.#stepRows / 2)) : Math.min(this.#stepRows * 2, maxRows)
  }

  #takeEvents(file: EventFile, found: readonly Key[], heldBytes: number): TakenEvents {
    const wanted = { skip: this.#skip, remaining: this.#remaining, heldBytes, present: this.query.present }
    const taken = takeEvents(file, found, wanted)
    this.#skip -= taken.skipped
    this.#remaining -= taken.count
    return taken
  }
}

/** Returns what remains of a part after an event, or without one after its first range. */
function getRemainder(part: SearchPart, position: Key | undefined, order: EventQuery['order']): SearchPart[] {
  const { end } = part
  if ('keys' in part)
    return position ? [{ ...part, keys: part.keys.filter(key => isBefore(position, key, order)) }] : []
  const [stretch, ...others] = part.stretches
  const stretches = position ? [...getRemainderFrom(stretch!, position, order), ...others] : others
  return stretches.length === 0 ? [] : [{ stretches, end }]
}
