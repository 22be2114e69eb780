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
import { SampleRun, type Present, type SampleQuery } from '../event-values/sample-run.js'
import type { LastWritten } from '../audit/last-written.js'
import type { Digests } from './policies.js'
import { Numbers } from './numbers.js'
import { column, raw, statement } from '../sqlite/statements.js'
import { readInTransaction } from '../sqlite/read-in-transaction.js'
import { EventTexts } from '../text-search/event-texts.js'
import type { Steps } from '../steps.js'
import { emptyStreams, type EmptyOptions } from './empty-streams.js'
import type { EventHistory } from './event-history.js'
import { EventLinks, listStreams, type EventLocation } from '../event-values/event-links.js'
import { toBody, toLargeBody, toRow, type EventBody, type EventRow } from './event-row.js'
import type { AttachmentRepository } from './attachments.js'
import { formatPaths } from './format-paths.js'
import type { StreamRepository } from './streams.js'

/** An event as text, with the numbers of its streams: enough to decide who may read it. */
export interface EventText {
  readonly body: string
  readonly streams: readonly number[]
}

/** An event without what clients may fill with megabytes. */
export type EventOutline = Pick<Event, 'attachments' | 'id' | 'modified' | 'streamIds' | 'time' | 'type'>

type Outline = Omit<EventOutline, 'attachments'> & {
  readonly attachments: EventOutline['attachments'] | null
}

/** A query under way. */
export type EventRun = QueryRun | TextRun

/** Where an event is found, by its words too. */
interface IndexedLocation extends EventLocation {
  /** As {@link EventTexts} keeps them; `null` for none. */
  readonly words: string | null
}

const columns = 'id, time, until, span, type, trashed, modified, stream, others, large, body'.split(', ')
const insertSql = `INSERT INTO event (${columns.join()}, number) VALUES (${columns.map(() => '?').join()}, ?)`
const updateSql = `UPDATE event SET ${columns.map(name => `${name} = ?`).join()} WHERE number = ?`

const placeSql = `SELECT number, time, span, trashed, stream, others, type, (SELECT words FROM event_text
  WHERE start = event.time AND event = event.number) AS words FROM event WHERE id = ?`

const outlineSql = `SELECT json_object(${['attachments', 'id', 'modified', 'streamIds', 'time', 'type']
  .map(name => `'${name}', body -> '$.${name}'`)
  .join()}) FROM event WHERE id = ?`

/** The values of {@link columns}: by place, since SQLite's bindings look up each name again. */
function toValues(row: EventRow, type: number): unknown[] {
  const { id, time, until, span, trashed, modified, stream, others, large, body } = row
  return [id, time, until, span, type, trashed, modified, stream, others, large, body]
}

export class EventRepository {
  readonly types: TypeNumbers
  readonly texts: EventTexts
  readonly #numbers: Numbers
  readonly #durationClasses: DurationClasses
  readonly #large: LargeEvents
  readonly #sizeEstimate = new PageSizeEstimate()
  readonly #links: EventLinks

  constructor(
    private readonly db: Database,
    private readonly streams: StreamRepository,
    private readonly attachments: AttachmentRepository,
    private readonly history: EventHistory,
    private readonly digests: Digests,
    private readonly lastWritten: LastWritten
  ) {
    this.types = new TypeNumbers(db)
    this.texts = new EventTexts(db)
    this.#numbers = new Numbers(db, 'event')
    this.#durationClasses = new DurationClasses(db)
    this.#large = new LargeEvents(db)
    this.#links = new EventLinks(db)
  }

  find(id: string): Event | undefined {
    const body = column(this.db, 'SELECT body FROM event WHERE id = ?').get(id) as string | undefined
    return body === undefined ? undefined : (JSON.parse(body) as Event)
  }

  /** As {@link find}, without making an object of it. */
  findText(id: string): EventText | undefined {
    // As an array, which is made in half the time of an object.
    const row = raw(this.db, 'SELECT body, stream, others FROM event WHERE id = ?').get(id) as
      | [body: string, stream: number, others: string | null]
      | undefined
    if (!row) return undefined
    const [body, stream, others] = row
    return { body, streams: listStreams({ stream, others }) }
  }

  /** As {@link find}, without its content, which may be of many megabytes: SQLite finds the rest without making objects of it. */
  findOutline(id: string): EventOutline | undefined {
    const text = column(this.db, outlineSql).get(id) as string | undefined
    if (text === undefined) return undefined
    const { attachments, ...outline } = JSON.parse(text) as Outline
    return attachments ? { ...outline, attachments } : outline
  }

  /** Whether the event of an id takes more bytes than so many; its text is not read for that. */
  isLarger(id: string, bytes: number): boolean {
    return column(this.db, 'SELECT octet_length(body) > ? FROM event WHERE id = ?').get(bytes, id) === 1
  }

  /** Begins a query. Nothing is read yet. */
  query(query: EventQuery): EventRun {
    return query.text ? new TextRun(query, query.text) : new QueryRun(query)
  }

  /** The next page of a query; see {@link QueryRun}. */
  next(run: EventRun): EventPage {
    return run.next({
      db: this.db,
      durationClasses: this.#durationClasses,
      large: this.#large,
      sizeEstimate: this.#sizeEstimate,
      ends: this.#links.ends,
      texts: this.texts
    })
  }

  /** Goes on with a sample for a few milliseconds; answers whether it is complete. */
  continueSample(run: SampleRun, present: Present): boolean {
    return readInTransaction(this.db, () => run.next(this.db, this.#links.summableRanges, present))
  }

  /** The next facts of streams; maybe none yet. */
  nextFacts(run: FactsRun, present: Present): Fact[] {
    return readInTransaction(this.db, () => run.next(this.db, this.#links.facts, present))
  }

  /** Begins a sample. Nothing is read yet. */
  createSample(query: SampleQuery): SampleRun {
    return new SampleRun(query)
  }

  /** Begins to tell what streams hold, of the events that meet these criteria. Nothing is read yet. */
  createFacts(streams: readonly StreamsCriteria[] | undefined): FactsRun {
    return new FactsRun(streams)
  }

  /** The text that an event is kept as, written in steps: for large ones, before they are added or replaced. */
  writeBody(event: Event): Steps<EventBody> {
    return toLargeBody(event, this.digests)
  }

  /** The highest number that an event has ever had: it only grows, whatever is removed. */
  get highestNumber(): number {
    return this.#numbers.next() - 1
  }

  /** Adds an event, whose streams exist; answers its public text. Raises `UniqueViolation` of `event.id`. */
  insert(event: Event, body?: EventBody): string {
    const row = this.#row(event, body)
    const type = this.types.ensure(event.type)
    const number = this.#numbers.next()
    try {
      statement(this.db, insertSql).run(...toValues(row, type), number)
    } catch (error) {
      throw translateError(error)
    }
    this.#numbers.markUsed(number)
    this.#updateCaches(row)
    this.#links.add(toLocation(row, type, number), extractNumbers(event.content))
    if (row.stream > 0) this.texts.insert(number, row, event)
    if (event.attachments) this.attachments.replace(number, event.attachments)
    this.lastWritten.record('EVENT', row.id, row.modified, row.integrity)
    return row.body
  }

  /** Replaces the event of that id, whose former state becomes an earlier version; answers its public text. */
  update(event: Event, body?: EventBody): string {
    const before = this.#findLocation(event.id)
    if (this.history.isEnabled) this.history.addVersion(event.id, this.#formatPaths(before))
    return this.#replace(before, event, body)
  }

  /** Replaces the event of that id by what it should have been all along: no version is kept. */
  amend(event: Event): string {
    return this.#replace(this.#findLocation(event.id), event)
  }

  /** Removes an event, and remembers that it was there. */
  remove(id: string, deleted: number, event = this.find(id)!): void {
    const location = this.#findLocation(id)
    const integrity = this.history.recordDeletion(event, deleted, this.#formatPaths(location))
    this.lastWritten.record('EVENT', id, deleted, integrity)
    this.#links.remove(location)
    this.texts.remove(location)
    this.attachments.replace(location.number, [])
    statement(this.db, 'DELETE FROM event WHERE number = ?').run(location.number)
  }

  /** Whether any event, trashed or not, is in one of these streams. */
  hasIn(streams: readonly number[]): boolean {
    const sql = 'SELECT 1 FROM event_stream WHERE stream = ? LIMIT 1'
    return streams.some(stream => column(this.db, sql).get(stream) !== undefined)
  }

  /** Whether more than so many events are in these streams together, trashed or not. */
  hasMoreIn(streams: readonly number[], limit: number): boolean {
    const sql = 'SELECT count(*) FROM (SELECT 1 FROM event_stream WHERE stream = ? LIMIT +?)'
    let count = 0
    return streams.some(stream => (count += column(this.db, sql).get(stream, limit + 1) as number) > limit)
  }

  /** Takes all events, trashed or not, out of streams; see {@link EmptyOptions}. */
  *empty(options: EmptyOptions): Steps<void> {
    const { attachments, history, digests, streams, texts } = this
    const onChange = (row: EventRow): void => this.#updateCaches(row)
    yield* emptyStreams(this.db, { attachments, history, digests, streams, texts, onChange }, options)
    this.#links.invalidate()
  }

  /** The greatest time of modification (seconds), deletions included. */
  getLastModified(): number | undefined {
    const modified = column(this.db, 'SELECT max(modified) FROM event').get() as number | null
    const deleted = this.history.getLastDeleted()
    return modified === null ? deleted : Math.max(modified, deleted ?? 0)
  }

  /** Drops what is remembered: it may have been rolled back. */
  invalidate(): void {
    this.types.invalidate()
    this.texts.invalidate()
    this.#numbers.invalidate()
    this.#durationClasses.invalidate()
    this.#large.invalidate()
    this.#links.invalidate()
  }

  #replace(before: IndexedLocation, event: Event, body?: EventBody): string {
    const row = this.#row(event, body)
    if (event.attachments) this.attachments.replace(before.number, event.attachments)
    const type = this.types.ensure(event.type)
    statement(this.db, updateSql).run(...toValues(row, type), before.number)
    this.#updateCaches(row)
    this.#links.update(before, toLocation(row, type, before.number), extractNumbers(event.content))
    this.texts.replace(before, row, row.stream > 0 ? event : undefined)
    this.lastWritten.record('EVENT', row.id, row.modified, row.integrity)
    return row.body
  }

  #row(event: Event, body = toBody(event, this.digests)): EventRow {
    const numbers = event.streamIds.map(id => this.streams.getNumber(id))
    // The first stream of a value is that of its field.
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

  /** Keeps in mind what queries ask about the file as a whole. */
  #updateCaches({ span, large }: EventRow): void {
    if (span !== null) this.#durationClasses.add(span)
    if (large) this.#large.record()
  }
}

function toLocation(row: EventRow, type: number, number: number): EventLocation {
  const { others, span, stream, time, trashed } = row
  return { number, time, span, trashed, stream, others, type }
}
