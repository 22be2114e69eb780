/** Reads and stores the documents of a connection. */
import { fail } from '../../../core/errors.js'
import { isObject, type Json } from '../../../imports/formats/json-files.js'
import type { ConnectionStore, ReceivedRecord } from '../dialect.js'
import { ReadingBuilder } from '../reading-builder.js'
import {
  documentKey,
  getDocumentType,
  idKey,
  listValues,
  receiveDocument,
  toDocumentRecord,
  type Collection,
  type Received
} from './documents.js'
import { matches, type Find } from './find.js'

/** Maximum number of documents that are searched by other conditions than their time. */
const maxSearched = 10_000
/** Later than the times of all documents, in seconds. */
const endOfTime = 1e11

/** A document as it is stored. */
export interface StoredDocument extends Received {
  readonly eventId: string
  /** Seconds. */
  readonly modified: number
  readonly isDeleted: boolean
}

/** What identifies an event, as `events.get` returns it. */
interface FoundEvent {
  readonly id: string
  readonly time: number
  readonly type: string
  readonly content?: unknown
  readonly clientData?: Readonly<Record<string, unknown>>
  readonly modified: number
  readonly trashed?: boolean
}

export class Library {
  constructor(private readonly store: ConnectionStore) {}

  get canRead(): boolean {
    return this.store.level === 'read' || this.canChange
  }

  get canAdd(): boolean {
    return this.store.level !== 'read'
  }

  /** Whether documents can be changed and deleted. */
  get canChange(): boolean {
    return this.store.level === 'contribute'
  }

  /** Lists documents that meet conditions, newest first. Error: `forbidden`. */
  async list(collection: Collection, find: Find, count: number): Promise<StoredDocument[]> {
    const found = await this.#get(collection, {
      fromTime: find.from ?? 0,
      toTime: find.to ?? endOfTime,
      limit: find.isByTime ? count + 1000 : maxSearched
    })
    return found.filter(({ document }) => matches(find, document)).slice(0, count)
  }

  /** Lists documents that were stored, changed or deleted after a time in seconds, the earliest change first. Error: `forbidden`. */
  async listChanges(collection: Collection, since: number, count: number): Promise<StoredDocument[]> {
    const found = await this.#get(collection, {
      fromTime: 0,
      toTime: endOfTime,
      modifiedSince: since,
      state: 'all',
      limit: maxSearched
    })
    return found.toSorted((a, b) => a.modified - b.modified).slice(0, count)
  }

  /** Finds a document by its id. Error: `forbidden`. */
  async find(collection: Collection, id: string): Promise<StoredDocument | undefined> {
    return await this.#findBy(collection, { path: idKey, eq: id })
  }

  /** Finds a document by the identifier that its app has given it. Error: `forbidden`. */
  async findByIdentifier(collection: Collection, identifier: string): Promise<StoredDocument | undefined> {
    return await this.#findBy(collection, { path: `${documentKey}.identifier`, eq: identifier })
  }

  async #findBy(collection: Collection, condition: object): Promise<StoredDocument | undefined> {
    const params = { fromTime: 0, toTime: endOfTime, clientData: [condition], state: 'all', limit: 10 }
    return (await this.#get(collection, params))[0]
  }

  /** Stores documents, and returns them with their ids. A document that is known is replaced. Error: `forbidden`. */
  async add(collection: Collection, given: readonly Json[], now: number): Promise<Received[]> {
    if (!this.canAdd) fail('forbidden', 'This connection may only read')
    const all = given.map(document => receiveDocument(collection, document, now))
    const reading = new ReadingBuilder()
    reading.received = all.length
    // The last document with an id wins.
    const latest = new Map(all.map(received => [received.id, received]))
    if (collection === 'treatments' && this.canChange) await this.#withdrawValues([...latest.values()])
    for (const received of latest.values()) {
      reading.add(toDocumentRecord(received))
      for (const record of listValues(received, kind => collection === 'entries' && reading.skip(kind)))
        reading.add(record)
    }
    await this.store.add(reading)
    return all
  }

  /** Moves a document and its values to the trash. Error: `forbidden`. */
  async delete(document: StoredDocument): Promise<void> {
    if (!this.canChange) fail('forbidden', 'This connection may not delete')
    for (const { id } of await this.#listValueEvents(document)) await this.store.call('events.delete', { id })
    await this.store.call('events.delete', { id: document.eventId })
  }

  /** Moves the values of documents to the trash that their new versions no longer contain. */
  async #withdrawValues(received: readonly Received[]): Promise<void> {
    if (received.length === 0) return
    const times = received.map(({ time }) => time)
    const [first, last] = times.reduce(
      ([a, b], time) => [Math.min(a, time), Math.max(b, time)],
      [Infinity, 0]
    )
    const known = await this.#get('treatments', { fromTime: first, toTime: last, limit: maxSearched })
    const byId = new Map(received.map(each => [each.id, each]))
    for (const before of known) {
      const after = byId.get(before.id)
      if (!after || JSON.stringify(before.document) === JSON.stringify(after.document)) continue
      const kept = new Set(listValues(after).map(describeValue))
      for (const event of await this.#listValueEvents(before))
        if (!kept.has(describeValue(event))) await this.store.call('events.delete', { id: event.id })
    }
  }

  /** Lists the events of the values of a document. */
  async #listValueEvents({ collection, id, time }: StoredDocument): Promise<FoundEvent[]> {
    const clientData = [{ path: idKey, eq: id }]
    const events = await this.#getEvents({ fromTime: time, toTime: time, clientData, limit: 100 })
    return events.filter(({ type }) => type !== getDocumentType(collection))
  }

  async #get(collection: Collection, params: object): Promise<StoredDocument[]> {
    const events = await this.#getEvents({ types: [getDocumentType(collection)], ...params })
    const byId = new Map<string, StoredDocument>()
    for (const { clientData, id: eventId, modified, time, trashed } of events) {
      const document = clientData?.[documentKey]
      const id = clientData?.[idKey]
      if (!isObject(document) || typeof id !== 'string') continue
      // A document whose time was changed has two events.
      if ((byId.get(id)?.modified ?? 0) > modified) continue
      const isDeleted = trashed === true || document['isValid'] === false
      byId.set(id, { collection, id, document, time, isDated: true, eventId, modified, isDeleted })
    }
    return [...byId.values()]
  }

  async #getEvents(params: object): Promise<FoundEvent[]> {
    if (!this.canRead) fail('forbidden', 'This connection may only send')
    return (await this.store.call('events.get', params))['events'] as FoundEvent[]
  }
}

function describeValue({ content, time, type }: Pick<ReceivedRecord, 'content' | 'time' | 'type'>): string {
  return JSON.stringify([type, time, content])
}
