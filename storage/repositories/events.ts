/** The events of one user. */
import type { Database } from 'better-sqlite3'
import type { Event } from '../../schemas/event.js'
import { translateError } from '../errors.js'
import { PageSizeEstimate, LargeEvents } from '../event-query/bodies.js'
import type { EventQuery, StreamsCriteria } from '../event-query/query.js'
import type { EventPage } from '../event-query/page.js'
import { QueryRun } from '../event-query/query-run.js'
import { TextRun } from '../text-search/text-run.js'
import { DurationClasses } from '../event-query/spans.js'
import { TypeNumbers } from '../event-query/types.js'
import { FactsRun, type Fact } from '../event-values/facts-run.js'
import { extractNumbers } from '../content-numbers.js'
import { TimeBuckets } from '../event-values/time-buckets.js'
import { SampleRun, type Present, type SampleQuery } from '../event-values/sample-run.js'
import type { LastWritten } from '../audit/last-written.js'
import type { Digests } from './policies.js'
import { Numbers } from './numbers.js'
import { column, raw, statement, readInTransaction } from '../sqlite/statements.js'
import { EventTexts } from '../text-search/event-texts.js'
import type { Steps } from '../steps.js'
import { emptyStreams, type EmptyOptions } from './empty-streams.js'
import type { EventHistory } from './event-history.js'
import { removeChunks } from './event-parts.js'
import { EventLinks, listStreams, type EventLocation } from '../event-values/event-links.js'
import {
  insertSql,
  outlineSql,
  placeSql,
  toBody,
  toLargeBody,
  toLocation,
  toRow,
  toValues,
  updateSql,
  type EventBody,
  type EventOutline,
  type EventRow
} from './event-row.js'
import type { AttachmentRepository } from './attachments.js'
import { formatPaths } from './format-paths.js'
import type { StreamRepository } from './streams.js'

/** An event as text, with the numbers of its streams: enough to decide who may read it. */
interface EventText {
  readonly body: string
  readonly streams: readonly number[]
}

/** A running query. */
export type EventRun = QueryRun | TextRun

/** The location of an event, and its indexed words. */
interface IndexedLocation extends EventLocation {
  /** As stored by {@link EventTexts}; `null` if the event has no words. */
  readonly words: string | null
}

/** The repositories that store other parts of events. */
interface RelatedRepositories {
  readonly attachments: AttachmentRepository
  readonly history: EventHistory
  readonly streams: StreamRepository
}

export class EventRepository {
  readonly types: TypeNumbers
  readonly texts: EventTexts
  private readonly attachments: AttachmentRepository
  private readonly history: EventHistory
  private readonly streams: StreamRepository
  readonly #numbers: Numbers
  readonly #durationClasses: DurationClasses
  readonly #large: LargeEvents
  readonly #sizeEstimate = new PageSizeEstimate()
  readonly links: EventLinks

  constructor(
    private readonly db: Database,
    { attachments, history, streams }: RelatedRepositories,
    private readonly digests: Digests,
    private readonly lastWritten: LastWritten
  ) {
    this.attachments = attachments
    this.history = history
    this.streams = streams
    this.types = new TypeNumbers(db)
    this.texts = new EventTexts(db)
    this.#numbers = new Numbers(db, 'event')
    this.#durationClasses = new DurationClasses(db)
    this.#large = new LargeEvents(db)
    this.links = new EventLinks(db)
  }

  /** Finds an event, also in the trash; `undefined` for one that does not exist or was deleted. */
  find(id: string): Event | undefined {
    const body = column(this.db, 'SELECT body FROM event WHERE id = ?').get(id) as string | undefined
    return body === undefined ? undefined : (JSON.parse(body) as Event)
  }

  /** Finds an event as text, without parsing it, with the numbers of its streams; also in the trash. */
  findText(id: string): EventText | undefined {
    // Rows as arrays are created in half the time of objects.
    const row = raw(this.db, 'SELECT body, stream, others FROM event WHERE id = ?').get(id) as
      | [body: string, stream: number, others: string | null]
      | undefined
    if (!row) return undefined
    const [body, stream, others] = row
    return { body, streams: listStreams({ stream, others }) }
  }

  /** Finds an event without its content, which may be many megabytes: SQLite extracts the rest without parsing it. */
  findOutline(id: string): EventOutline | undefined {
    const text = column(this.db, outlineSql).get(id) as string | undefined
    if (text === undefined) return undefined
    const { attachments, trashed, ...outline } = JSON.parse(text) as EventOutline
    // `null` if absent.
    return { ...outline, ...(attachments && { attachments }), ...(trashed && { trashed }) }
  }

  /** Returns whether an event is larger than a number of bytes, without reading its text. */
  isLarger(id: string, bytes: number): boolean {
    return column(this.db, 'SELECT octet_length(body) > ? FROM event WHERE id = ?').get(bytes, id) === 1
  }

  /** Starts a query. Nothing is read yet. */
  query(query: EventQuery): EventRun {
    return query.text ? new TextRun(query, query.text) : new QueryRun(query)
  }

  /** Returns the next page of a query; see {@link QueryRun}. */
  next(run: EventRun): EventPage {
    return run.next({
      db: this.db,
      durationClasses: this.#durationClasses,
      large: this.#large,
      sizeEstimate: this.#sizeEstimate,
      ends: this.links.ends,
      texts: this.texts
    })
  }

  /** Continues a sample for a few milliseconds. Returns whether it is complete. */
  continueSample(run: SampleRun, present: Present): boolean {
    return readInTransaction(this.db, () => run.next(this.db, this.links.summableRanges, present))
  }

  /** Returns the next facts of streams; may be empty before the end. */
  nextFacts(run: FactsRun, present: Present): Fact[] {
    return readInTransaction(this.db, () => run.next(this.db, this.links.facts, present))
  }

  /** Starts a sample. Nothing is read yet. */
  createSample(query: SampleQuery): SampleRun {
    return new SampleRun(query, new TimeBuckets(query))
  }

  /** Starts collecting facts of the streams that meet these criteria. Nothing is read yet. */
  createFacts(streams: readonly StreamsCriteria[] | undefined): FactsRun {
    return new FactsRun(streams)
  }

  /** Writes the stored text of an event in steps: for large events, before they are inserted or replaced. */
  writeBody(event: Event): Steps<EventBody> {
    return toLargeBody(event, this.digests)
  }

  /** The highest number that any event has ever had. It never decreases. */
  get highestNumber(): number {
    return this.#numbers.next() - 1
  }

  /** Adds an event, whose streams exist. Returns its public text. Throws `UniqueViolation` of `event.id`. */
  insert(event: Event, body?: EventBody): string {
    const row = this.#toRow(event, body)
    const type = this.types.ensure(event.type)
    const number = this.#numbers.next()
    try {
      statement(this.db, insertSql).run(...toValues(row, type), number)
    } catch (error) {
      throw translateError(error)
    }
    this.#numbers.markUsed(number)
    this.#updateCaches(row)
    this.links.add(toLocation(row, type, number), extractNumbers(event.content))
    if (row.stream > 0) this.texts.insert(number, row, event)
    if (event.attachments) this.attachments.replace(number, event.attachments)
    this.lastWritten.record('EVENT', row.id, row.modified, row.integrity)
    return row.body
  }

  /** Replaces the event with this id, whose former state becomes an earlier version if those are kept. Returns its public text. Throws if it does not exist. */
  update(event: Event, body?: EventBody): string {
    const before = this.#findLocation(event.id)
    if (this.history.isEnabled) this.history.addVersion(event.id, this.#formatPaths(before))
    return this.#replace(before, event, body)
  }

  /** Corrects the event with this id without keeping a version. Returns its public text. Throws if it does not exist. */
  amend(event: Event, body?: EventBody): string {
    return this.#replace(this.#findLocation(event.id), event, body)
  }

  /** Removes an event in steps, and records its deletion at `deleted` (seconds). Its attachments become orphans, and its series goes with it. Throws if it does not exist. */
  *remove(id: string, deleted: number, event = this.find(id)!): Steps<void> {
    const location = this.#findLocation(id)
    const integrity = yield* this.history.recordDeletion(event, deleted, this.#formatPaths(location))
    yield* removeChunks(this.db, location.number)
    this.lastWritten.record('EVENT', id, deleted, integrity)
    this.#removeRow(location)
  }

  /** Removes an event with all its versions, and records its deletion, without what the settings keep. Throws if it does not exist. */
  erase(id: string, deleted: number): void {
    const location = this.#findLocation(id)
    const integrity = this.history.recordErasure(id, deleted, this.#formatPaths(location))
    this.lastWritten.record('EVENT', id, deleted, integrity)
    this.#removeRow(location)
  }

  /** Returns whether any event, trashed or not, is in one of these streams. */
  hasIn(streams: readonly number[]): boolean {
    const sql = 'SELECT 1 FROM event_stream WHERE stream = ? LIMIT 1'
    return streams.some(stream => column(this.db, sql).get(stream) !== undefined)
  }

  /** Returns whether these streams together hold more than `limit` events, trashed or not. */
  hasMoreIn(streams: readonly number[], limit: number): boolean {
    const sql = 'SELECT count(*) FROM (SELECT 1 FROM event_stream WHERE stream = ? LIMIT +?)'
    let count = 0
    return streams.some(stream => (count += column(this.db, sql).get(stream, limit + 1) as number) > limit)
  }

  /** Removes all events, trashed or not, from streams; see {@link EmptyOptions}. */
  *empty(options: EmptyOptions): Steps<void> {
    const { attachments, history, digests, streams, texts } = this
    const onChange = (row: EventRow): void => this.#updateCaches(row)
    yield* emptyStreams(this.db, { attachments, history, digests, streams, texts, onChange }, options)
    this.links.invalidate()
  }

  /** Returns the latest time of modification (seconds), including deletions; `undefined` if there was no event. */
  getLastModified(): number | undefined {
    const modified = column(this.db, 'SELECT max(modified) FROM event').get() as number | null
    const deleted = this.history.getLastDeleted()
    return modified === null ? deleted : Math.max(modified, deleted ?? 0)
  }

  /** Clears the caches: they may hold what was rolled back. */
  invalidate(): void {
    this.types.invalidate()
    this.texts.invalidate()
    this.#numbers.invalidate()
    this.#durationClasses.invalidate()
    this.#large.invalidate()
    this.links.invalidate()
  }

  #removeRow(location: IndexedLocation): void {
    this.links.remove(location)
    this.texts.remove(location)
    this.attachments.replace(location.number, [])
    statement(this.db, 'DELETE FROM event WHERE number = ?').run(location.number)
  }

  #replace(before: IndexedLocation, event: Event, body?: EventBody): string {
    const row = this.#toRow(event, body)
    if (event.attachments) this.attachments.replace(before.number, event.attachments)
    const type = this.types.ensure(event.type)
    statement(this.db, updateSql).run(...toValues(row, type), before.number)
    this.#updateCaches(row)
    this.links.update(before, toLocation(row, type, before.number), extractNumbers(event.content))
    this.texts.replace(before, row, row.stream > 0 ? event : undefined)
    this.lastWritten.record('EVENT', row.id, row.modified, row.integrity)
    return row.body
  }

  #toRow(event: Event, body = toBody(event, this.digests)): EventRow {
    const numbers = event.streamIds.map(id => this.streams.getNumber(id))
    // The first stream of a value is the stream of its field.
    return toRow(event, numbers, body, this.streams.findByNumber(numbers[0]!)?.system?.isHidden)
  }

  #findLocation(id: string): IndexedLocation {
    const location = statement(this.db, placeSql).get(id) as IndexedLocation | undefined
    if (!location) throw new Error('No such event')
    return location
  }

  #formatPaths(location: EventLocation): string {
    return formatPaths(this.streams, listStreams(location))
  }

  /** Updates what is cached about the whole file. */
  #updateCaches({ span, large }: EventRow): void {
    if (span !== null) this.#durationClasses.add(span)
    if (large) this.#large.record()
  }
}
