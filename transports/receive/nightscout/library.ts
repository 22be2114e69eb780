/** Reads and stores the documents of a connection. */
import { fail } from '../../../core/errors.js'
import { isObject, type Json } from '../../../imports/formats/json-files.js'
import type { ConnectionStore, ReceivedRecord } from '../dialect.js'
import { limitReading } from '../limit-reading.js'
import { ReadingBuilder } from '../reading-builder.js'
import {
  documentKey,
  getDocumentType,
  hasIdentifier,
  idKey,
  listValues,
  receiveDocument,
  toDocumentRecord,
  type Collection,
  type Received
} from './documents.js'
import { matches, type Equality, type Find } from './find.js'

/** Number of documents that are read at a time. */
const pageDocuments = 2000
/** Maximum number of ids in one query. */
const maxIds = 1000
/** Seconds before now within which the last change of a collection is looked for, one after the other. */
const recentSeconds = [600, 86_400, 60 * 86_400, Infinity]
/** Later than the times of all documents, in seconds. */
const endOfTime = 1e11
const always = { fromTime: 0, toTime: endOfTime }

/** A document as it is stored. */
export interface StoredDocument extends Received {
  readonly eventId: string
  /** Milliseconds. */
  readonly created: number
  readonly modified: number
  readonly isDeleted: boolean
}

/** A document as it was received, and whether it is stored. */
export interface AddedDocument extends Received {
  readonly isStored: boolean
}

/** What identifies an event, as `events.get` returns it. */
interface FoundEvent {
  readonly id: string
  readonly time: number
  readonly type: string
  readonly content?: unknown
  readonly clientData?: Readonly<Record<string, unknown>>
  readonly created: number
  readonly modified: number
  readonly trashed?: boolean
}

export class Library {
  constructor(private readonly store: ConnectionStore) {}

  /** True if the connection may list documents. */
  get canRead(): boolean {
    return this.store.level === 'read' || this.canChange
  }

  /** True if documents can be added; each may replace one that is known. */
  get canAdd(): boolean {
    return this.store.level !== 'read'
  }

  /** Whether documents can be changed and deleted. */
  get canChange(): boolean {
    return this.store.level === 'contribute'
  }

  /**
   * Lists documents that meet conditions, newest first unless `isAscending`. `present`: returns what the
   * conditions are about. Error: `forbidden`. Lists `count` at most, and none that are deleted.
   */
  async list(
    collection: Collection,
    find: Find,
    count: number,
    { isAscending = false, present = (stored: StoredDocument): Json => stored.document } = {}
  ): Promise<StoredDocument[]> {
    const found = new Map<string, StoredDocument>()
    const params = {
      fromTime: find.from ?? 0,
      toTime: find.to ?? endOfTime,
      sortAscending: isAscending,
      ...(find.equalities.length > 0 && { clientData: find.equalities.map(toCondition) })
    }
    for await (const page of this.#getPages(
      collection,
      params,
      find.hasOnlyTimeConditions ? count + 100 : pageDocuments
    )) {
      for (const stored of page)
        if (!stored.isDeleted && matches(find, present(stored))) found.set(stored.id, stored)
      if (found.size >= count) break
    }
    return [...found.values()].slice(0, count)
  }

  /**
   * Lists documents that were stored, changed or deleted after a time and before another one, in milliseconds, the earliest change
   * first: `count` of them, and all others of the millisecond of the last. Error: `forbidden`.
   */
  async listChanges(
    collection: Collection,
    since: number,
    before: number,
    count: number
  ): Promise<StoredDocument[]> {
    let kept: StoredDocument[] = []
    const params = { ...always, modifiedSince: Math.max(0, since - 1) / 1000, state: 'all' }
    for await (const page of this.#getPages(collection, params)) {
      const changed = page.filter(({ modified }) => modified > since && modified < before)
      kept = [...kept, ...changed].toSorted((a, b) => a.modified - b.modified)
      const last = kept[count - 1]
      if (last) kept = kept.filter(({ modified }) => modified <= last.modified)
    }
    return kept
  }

  /**
   * Returns the time of the last change of a collection, in milliseconds. `now`: in seconds. Error:
   * `forbidden`. Returns `undefined` if there is none.
   */
  async findLastModified(collection: Collection, now: number): Promise<number | undefined> {
    for (const seconds of recentSeconds) {
      let last: number | undefined
      const params = { ...always, modifiedSince: Math.max(0, now - seconds), state: 'all' }
      for await (const page of this.#getPages(collection, params))
        for (const { modified } of page) last = Math.max(last ?? 0, modified)
      if (last !== undefined) return last
    }
    return undefined
  }

  /**
   * Finds a document by its id; at a time in seconds, if that is given. Error: `forbidden`. Also finds a
   * deleted one. Returns `undefined` if there is none.
   */
  async find(collection: Collection, id: string, time?: number): Promise<StoredDocument | undefined> {
    const range = time === undefined ? always : { fromTime: time, toTime: time }
    return await this.#findBy(collection, { ...range, clientData: [{ path: idKey, eq: id }] })
  }

  /**
   * Finds a document by the identifier that its app has given it. Error: `forbidden`. Also finds a deleted
   * one. Returns `undefined` if there is none.
   */
  async findByIdentifier(collection: Collection, identifier: string): Promise<StoredDocument | undefined> {
    const clientData = [{ path: `${documentKey}.identifier`, eq: identifier }]
    return await this.#findBy(collection, { ...always, clientData })
  }

  async #findBy(collection: Collection, params: object): Promise<StoredDocument | undefined> {
    return (await this.#get(collection, { ...params, state: 'all', limit: 10 })).documents[0]
  }

  /**
   * Stores documents, and returns them with their ids. A document that is known is replaced. Documents that
   * limits exclude are not stored, and are marked. Errors: `forbidden`, `invalid-request-structure` if
   * nothing can be stored. Values that a treatment no longer contains are moved to the trash.
   */
  async add(collection: Collection, given: readonly Json[], now: number): Promise<AddedDocument[]> {
    if (!this.canAdd) fail('forbidden', 'This connection may only read')
    const all = given.map(document => {
      const received = receiveDocument(collection, document, now)
      const record = toDocumentRecord(received)
      return { ...received, record, isStored: canStore(record) }
    })
    const reading = new ReadingBuilder()
    reading.received = all.length
    const stored = all.filter(({ isStored }) => isStored)
    // The last document with an id wins.
    const latest = new Map(stored.map(received => [received.id, received]))
    if (collection === 'treatments' && this.canChange) await this.#withdrawValues(latest)
    for (const received of latest.values()) {
      reading.add(received.record)
      for (const record of listValues(received, kind => collection === 'entries' && reading.skip(kind)))
        reading.add(record)
    }
    for (const { isStored } of all) if (!isStored) reading.skip(collection)
    const refused = await this.store.add(reading)
    if (refused.has(collection) || (stored.length === 0 && all.length > 0))
      fail('invalid-request-structure', `The ${collection} have an impossible time, or are too large`)
    return all
  }

  /** Moves a document and its values to the trash. Error: `forbidden`. */
  async delete(document: StoredDocument): Promise<void> {
    if (!this.canChange) fail('forbidden', 'This connection may not delete')
    for (const { id } of await this.#listValueEvents(document)) await this.store.call('events.delete', { id })
    await this.store.call('events.delete', { id: document.eventId })
  }

  /**
   * Moves the values of documents to the trash that their new versions no longer contain, and former versions of another time.
   */
  async #withdrawValues(received: ReadonlyMap<string, Received>): Promise<void> {
    for (const before of await this.#listFormer(received)) {
      const after = received.get(before.id)!
      if (JSON.stringify(before.document) === JSON.stringify(after.document)) continue
      const kept = new Set(listValues(after).map(describeValue))
      for (const event of await this.#listValueEvents(before))
        if (!kept.has(describeValue(event))) await this.store.call('events.delete', { id: event.id })
      if (before.time !== after.time) await this.store.call('events.delete', { id: before.eventId })
    }
  }

  /** Lists the stored versions of treatments. */
  async #listFormer(received: ReadonlyMap<string, Received>): Promise<StoredDocument[]> {
    const times = Array.from(received.values(), ({ time }) => time)
    const [fromTime, toTime] = [
      times.reduce((a, b) => Math.min(a, b), Infinity),
      times.reduce((a, b) => Math.max(a, b), 0)
    ]
    const found: StoredDocument[] = []
    if (times.length === 0) return found
    for await (const page of this.#getPages('treatments', { fromTime, toTime }))
      found.push(...page.filter(({ id }) => received.has(id)))
    // Only documents with an identifier can have had another time.
    const known = new Set(found.map(({ id }) => id))
    const others = Array.from(received.values()).flatMap(({ document, id }) =>
      !known.has(id) && hasIdentifier(document) ? [id] : []
    )
    for (let from = 0; from < others.length; from += maxIds) {
      const clientData = [{ path: idKey, in: others.slice(from, from + maxIds) }]
      for await (const page of this.#getPages('treatments', { ...always, clientData })) found.push(...page)
    }
    return found
  }

  /** Lists the events of the values of a document. */
  async #listValueEvents({ collection, id, time }: StoredDocument): Promise<FoundEvent[]> {
    const clientData = [{ path: idKey, eq: id }]
    const events = await this.#getEvents({ fromTime: time, toTime: time, clientData, limit: 100 })
    return events.filter(({ type }) => type !== getDocumentType(collection))
  }

  /** Reads pages of documents until there are no more. */
  async *#getPages(
    collection: Collection,
    params: object,
    limit = pageDocuments
  ): AsyncGenerator<StoredDocument[]> {
    for (let skip = 0; ; skip += limit) {
      const { count, documents } = await this.#get(collection, { ...params, skip, limit })
      yield documents
      if (count < limit) return
    }
  }

  /** `count`: number of events that were found. */
  async #get(
    collection: Collection,
    params: object
  ): Promise<{ readonly documents: StoredDocument[]; readonly count: number }> {
    const events = await this.#getEvents({ types: [getDocumentType(collection)], ...params })
    const byId = new Map<string, StoredDocument>()
    for (const { clientData, created, id: eventId, modified, time, trashed } of events) {
      const document = clientData?.[documentKey]
      const id = clientData?.[idKey]
      if (!isObject(document) || typeof id !== 'string') continue
      const isDeleted = trashed === true || document['isValid'] === false
      const at = { created: toMilliseconds(created), modified: toMilliseconds(modified) }
      const stored = { collection, id, document, time, isDated: true, eventId, ...at, isDeleted }
      // A document whose time was changed has two events.
      const other = byId.get(id)
      if (!other || other.modified < stored.modified || other.isDeleted) byId.set(id, stored)
    }
    return { documents: [...byId.values()], count: events.length }
  }

  async #getEvents(params: object): Promise<FoundEvent[]> {
    if (!this.canRead) fail('forbidden', 'This connection may only send')
    return (await this.store.call('events.get', params))['events'] as FoundEvent[]
  }
}

/** Converts a time to the milliseconds of Nightscout. Documents that changed within one millisecond have the same. */
function toMilliseconds(seconds: number): number {
  return Math.floor(seconds * 1000)
}

function toCondition({ path, values }: Equality): object {
  return { path: [documentKey, ...path].join('.'), in: values }
}

/** Returns whether the record of a document is within the limits of records. */
function canStore(record: ReceivedRecord): boolean {
  const { records } = limitReading({ records: [record], received: 1, notUnderstood: new Map() })
  return records.length > 0
}

function describeValue({ content, time, type }: Pick<ReceivedRecord, 'content' | 'time' | 'type'>): string {
  return JSON.stringify([type, time, content])
}
