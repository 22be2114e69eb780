/**
 * A search in texts under way: as `QueryRun`, page by page. It takes up the events that rare words lead to, for who does not
 * see everything only where they may be read; where all words are frequent, it goes through all events with texts in order
 * of time. Events that are not indexed yet are read first, and come in between.
 */
import type { Database } from 'better-sqlite3'
import { pageBytes } from '../event-query/bodies.js'
import { BodyScan } from '../event-query/body-look.js'
import { QueryBudget } from '../event-query/effort.js'
import type { EventFile } from '../event-query/file.js'
import { collectMatchingKeys } from '../event-query/lanes.js'
import { isBefore, getRemainderFrom, type Key, type KeyRange } from '../event-query/position.js'
import { createRowTest, type EventQuery, type RowTest, type TextSearch } from '../event-query/query.js'
import type { EventPage } from '../event-query/page.js'
import { lanesIn, segmentsOf, type Segment } from '../event-query/segments.js'
import { takeFound, type Taken } from '../event-query/taken.js'
import { column } from '../sqlite/statements.js'
import { ledInPlaces } from './placed-words.js'
import { keysInStreams, keysWithWords, type StreamKeys } from './stream-keys.js'
import {
  keysHolding,
  keysOf,
  ledTo,
  passingIn,
  passingKeys,
  rowsHolding,
  textKeyAt,
  type TextFilter
} from './text-lane.js'
import { TextTail } from './text-tail.js'

/** Events in a page. */
const pageRows = 500
/** Milliseconds after which a page ends, whatever it holds. */
const pageMs = 8
/** Milliseconds that a step should take: what it looks at are texts of a few words, or of a hundred thousand characters. */
const stepMs = 4
/** Bytes of texts that a step looks through, for one word after the other; the next text is looked at in any case. */
const stepBytes = 4 * 1024 * 1024
/** Texts that the first step looks at, and that any step does. */
const firstRows = 200
const mostRows = 2000
/** Numbers of events beyond the index from which on they are worth being indexed soon. */
const manyWaiting = 500
/** Periods reaching a time that are taken up one by one. */
const fewPeriods = 1000

/** A part of what is searched, in order and up to a time: some events, or those of a stretch that have texts. */
type Part = { readonly end: number } & (
  | { keys: readonly Key[]; areFree?: boolean }
  | { stretches: readonly KeyRange[] }
)

/** What a step has come to: events that pass, and from where to go on; absent at the end of the part. */
interface Found {
  readonly keys: readonly Key[]
  readonly position: Key | undefined
}

export class TextRun {
  #parts: Part[] | undefined
  /** The number of the last event that was indexed when the run began: it knows all others by {@link #tail}. */
  #indexedTo = 0
  #tail: TextTail | undefined
  /** Whether others may have written since the tail was read. */
  #isStale = false
  #test: RowTest | undefined
  #rows = firstRows
  #skip: number
  #left: number
  readonly #look: BodyScan | undefined
  readonly #effort = new QueryBudget()

  constructor(
    private query: EventQuery,
    private readonly text: TextSearch
  ) {
    this.#test = createRowTest(query)
    this.#skip = query.skip
    this.#left = query.limit
    if (query.contents) this.#look = new BodyScan()
  }

  get isDone(): boolean {
    return this.#left === 0 || this.#parts?.length === 0
  }

  /** Goes on with other streams and types than before, and shows what it finds otherwise; all else stays as it was. */
  follow({ present, streams, types }: Pick<EventQuery, 'present' | 'streams' | 'types'>): void {
    this.query = { ...this.query, present, streams, types }
    this.#test = createRowTest(this.query)
    this.#parts = this.#parts?.map(part => ('keys' in part ? { ...part, areFree: false } : part))
  }

  next(file: EventFile): EventPage {
    const until = performance.now() + pageMs
    this.#isStale = this.#tail?.isRead === true
    this.#parts ??= this.#begin(file)
    let text = ''
    let rows = 0
    while (!this.isDone && rows < pageRows && text.length < pageBytes) {
      if (!this.#readTail(file, until)) break
      const step = this.#step(file, this.#parts, text.length)
      if (step.text !== '') text += text === '' ? step.text : `,${step.text}`
      rows += step.count
      if (step.isFull || performance.now() > until) break
    }
    return { text, count: rows, done: this.isDone, excess: undefined }
  }

  #begin(file: EventFile): Part[] {
    const { from = -Infinity, isRunning, order, to = Infinity } = this.query
    if (from > to && !isRunning) return []
    this.#indexedTo = file.texts.indexedTo
    const last = column(file.db, 'SELECT ifnull(max(number), 0) FROM event').get() as number
    if (last > this.#indexedTo) {
      const wanted = this.#look ? Infinity : this.#skip + this.#left
      this.#tail = new TextTail(this.#indexedTo, last, order, wanted)
      if (last - this.#indexedTo > manyWaiting) file.texts.requestIndexing()
    }
    const found = this.#led(file.db)
    if (!found) return segmentsOf(this.query).map(segment => this.#partOf(file, segment))
    const keys = found.keys.toSorted((a, b) => (isBefore(a, b, order) ? -1 : 1))
    return [{ keys, areFree: found.areFree, end: order === 'ASC' ? Infinity : -Infinity }]
  }

  #led(db: Database): StreamKeys | undefined {
    const { mayUseIndex, words } = this.text
    const led = mayUseIndex ? ledTo(db, words) : ledInPlaces(db, this.query, this.text)
    if (led) return { keys: keysOf(db, led), areFree: false }
    return mayUseIndex ? undefined : keysInStreams(db, this.query)
  }

  /** Reads the events that are not indexed, as long as there is time; answers whether that was enough. */
  #readTail({ db }: EventFile, until: number): boolean {
    const tail = this.#tail
    if (!tail || tail.isRead) return true
    const filter = this.#filter
    while (!tail.isRead) {
      if (performance.now() > until) return false
      tail.read(db, filter)
    }
    return true
  }

  /** Periods that reach a time, or that run, are taken up one by one if they are few. */
  #partOf({ db, spans }: EventFile, segment: Segment): Part {
    const { order } = this.query
    const { end } = segment.range
    const all = { stretches: [segment.range], end }
    if (!segment.periods) return all
    const { parts } = lanesIn(segment, undefined, [], this.query, spans)
    const keys = collectMatchingKeys(db, parts, order, this.#filter.rows, fewPeriods)
    return keys ? { keys: keys.toSorted((a, b) => (isBefore(a, b, order) ? -1 : 1)), end } : all
  }

  get #filter(): TextFilter {
    const { from = -Infinity, isRunning, modifiedSince = -Infinity, to = Infinity, trashed } = this.query
    const endFrom = isRunning ? Infinity : from
    const rows = { modifiedAfter: modifiedSince, endFrom, test: this.#test, effort: this.#effort }
    return { rows, trashed, to, text: this.text }
  }

  #step(file: EventFile, parts: Part[], held: number): { text: string; count: number; isFull: boolean } {
    const { db } = file
    const part = parts[0]!
    const start = performance.now()
    const indexed = 'keys' in part ? this.#take(db, part) : this.#walk(db, part.stretches)
    this.#adapt(performance.now() - start)
    const end = 'keys' in part ? part.end : part.stretches[0]!.end
    const found = this.#tail ? this.#withTail(db, this.#tail, indexed, end) : this.#known(indexed)
    const { contents } = this.query
    const looked = contents && this.#look?.scan(db, contents, found.keys)
    const { stoppedAt, ...answer } = this.#answer(file, looked?.wanted ?? found.keys, held)
    // A page that is full before its first event of this step leaves it where it was.
    if (answer.isFull && !stoppedAt) return answer
    const position = answer.isFull ? stoppedAt : (looked?.scannedTo ?? found.position)
    parts.splice(0, 1, ...restOf(part, position, this.query.order))
    this.#tail?.drop(position, end)
    return answer
  }

  /** Without events that have been indexed since the run began. */
  #known({ keys, position }: Found): Found {
    return { keys: keys.filter(({ number }) => number <= this.#indexedTo), position }
  }

  /** What the index has come to, with those in between that it did not know; `end`: the time at which it ends without a position. */
  #withTail(db: Database, tail: TextTail, indexed: Found, end: number): Found {
    const next = tail.upTo(indexed.position, end, pageRows)
    const { keys, position } = this.#known(indexed)
    if (next.keys.length === 0) return { keys, position }
    const { order } = this.query
    const last = next.isPart ? next.keys.at(-1)! : position
    const within = last ? keys.filter(key => !isBefore(last, key, order)) : keys
    const others = this.#isStale ? tail.still(db, this.#filter, next.keys) : next.keys
    const all = [...within, ...others].toSorted((a, b) => (isBefore(a, b, order) ? -1 : 1))
    return { keys: all, position: last }
  }

  #take(
    db: Database,
    { areFree, keys }: { readonly keys: readonly Key[]; readonly areFree?: boolean }
  ): Found {
    if (areFree && keys.length > 0) {
      const most = this.#look?.rows ?? Math.min(this.#left + this.#skip, pageRows)
      const until = performance.now() + stepMs
      const { found, lookedAt } = keysWithWords(db, keys, this.text.words, { most, until })
      // They may have been moved since they were found to be in these streams.
      const { keys: passing, looked } = passingKeys(db, this.#filter, found)
      if (looked < found.length) return { keys: passing, position: found[looked - 1] }
      return { keys: passing, position: lookedAt === keys.length ? undefined : keys[lookedAt - 1] }
    }
    const most = keys.slice(0, this.#look ? Math.min(this.#look.rows, this.#rows) : this.#rows)
    const next = most.slice(0, keysHolding(db, most, this.#bytes))
    const { keys: found, looked } = passingKeys(db, this.#filter, next)
    return { keys: found, position: looked === keys.length ? undefined : next[looked - 1] }
  }

  #walk(db: Database, [stretch]: readonly KeyRange[]): Found {
    const { order } = this.query
    const rows = rowsHolding(db, order, stretch!, this.#rows, this.#bytes)
    const limit = this.#look?.rows ?? Math.min(this.#left + this.#skip, pageRows)
    const { keys, looked } = passingIn(db, this.#filter, order, stretch!, rows, limit)
    return {
      keys,
      position: keys.length === limit ? keys.at(-1) : textKeyAt(db, order, stretch!, looked - 1)
    }
  }

  /** Texts are read once, and then looked through for each word. */
  get #bytes(): number {
    return stepBytes / (1 + this.text.words.length)
  }

  #adapt(tookMs: number): void {
    this.#rows =
      tookMs > stepMs ? Math.max(1, Math.floor(this.#rows / 2)) : Math.min(this.#rows * 2, mostRows)
  }

  #answer(file: EventFile, found: readonly Key[], held: number): Taken {
    const wanted = { skip: this.#skip, left: this.#left, held, present: this.query.present }
    const taken = takeFound(file, found, wanted)
    this.#skip -= taken.skipped
    this.#left -= taken.count
    return taken
  }
}

/** What is left of a part after an event, or without one after its first stretch. */
function restOf(part: Part, position: Key | undefined, order: EventQuery['order']): Part[] {
  const { end } = part
  if ('keys' in part)
    return position ? [{ ...part, keys: part.keys.filter(key => isBefore(position, key, order)) }] : []
  const [stretch, ...others] = part.stretches
  const stretches = position ? [...getRemainderFrom(stretch!, position, order), ...others] : others
  return stretches.length === 0 ? [] : [{ stretches, end }]
}
