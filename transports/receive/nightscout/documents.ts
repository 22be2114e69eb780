/** Converts the documents of Nightscout to records. Each is stored as it was sent, and the values that it contains besides. */
import { createHash } from 'node:crypto'
import { getNightscoutTime, NightscoutReader } from '../../../imports/formats/vendors/nightscout.js'
import { getNumber, getText, type Json } from '../../../imports/formats/json-files.js'
import { parseIsoTime } from '../../../imports/text/times.js'
import type { ReceivedRecord } from '../dialect.js'
import { assertPossible, timeNames } from './find.js'

/** Client data of the event of a document: the document as it was sent. */
export const documentKey = 'coffer:nightscout'
/** Client data of the events of a document and of its values: its id. */
export const idKey = 'nightscout:id'

/** Collections, with the names of the streams that hold their documents. */
const streams = {
  entries: 'Entries',
  treatments: 'Treatments',
  devicestatus: 'Device status',
  profile: 'Profiles',
  activity: 'Activity'
} as const

export type Collection = keyof typeof streams
export const collections = Object.keys(streams) as readonly Collection[]

/** A document, with its id. */
export interface Received {
  readonly collection: Collection
  /** 24 hexadecimal digits. */
  readonly id: string
  readonly document: Json
  /** Seconds. */
  readonly time: number
  /** False if the document has no time, and was given the time of its arrival. */
  readonly isDated: boolean
}

/** Returns the type of the events that hold the documents of a collection. */
export function getDocumentType(collection: Collection): string {
  return `nightscout/${collection}`
}

/**
 * Reads a document. A document without a time gets the time of its arrival. Error: `invalid-request-structure` if its time does not
 * exist.
 */
export function receiveDocument(collection: Collection, given: Json, now: number): Received {
  const found = getTime(given)
  const isDated = !Number.isNaN(found)
  if (!isDated) for (const name of timeNames) assertPossible(getText(given, name) ?? '')
  const time = isDated ? found : now
  // Followers need an id. It is derived from the document as it was sent.
  const id = getId(collection, given)
  const dated = isDated ? given : { ...given, created_at: new Date(time * 1000).toISOString() }
  return { collection, id, document: { ...dated, _id: id }, time, isDated }
}

/** Returns the time of a document in seconds; `NaN` if it has none. */
function getTime(document: Json): number {
  const time = getNightscoutTime(document, 'UTC')
  if (!Number.isNaN(time)) return time
  const stamp = getNumber(document, 'timeStamp')
  if (stamp !== undefined) return stamp / 1000
  return parseIsoTime(getText(document, 'timeStamp') ?? getText(document, 'startDate') ?? '', 'UTC')
}

/** Names of members that identify a document by themselves. */
const identifiers = ['identifier', '_id', 'syncIdentifier', 'uuid'] as const
/** Returns whether a document has a member that identifies it by itself. */
export function hasIdentifier(document: Json): boolean {
  return identifiers.some(name => (getText(document, name) ?? '') !== '')
}

/** Names of members that identify a document together, if it has no identifier. */
const keys: Record<Collection, readonly string[]> = {
  entries: ['type'],
  treatments: ['eventType'],
  devicestatus: ['device'],
  profile: [],
  activity: ['type']
}

/** Returns the id of a document: the same whenever it is sent. */
function getId(collection: Collection, document: Json): string {
  const own = getText(document, '_id')
  if (own !== undefined && /^[0-9a-f]{24}$/i.test(own)) return own.toLowerCase()
  const name = identifiers
    .map(member => getText(document, member))
    .find(text => text !== undefined && text !== '')
  const time = getTime(document)
  const rest = Number.isNaN(time)
    ? [JSON.stringify(document)]
    : [time, ...keys[collection].map(key => getText(document, key))]
  return createHash('sha1')
    .update(JSON.stringify([collection, ...(name === undefined ? rest : [name])]))
    .digest('hex')
    .slice(0, 24)
}

/** Returns the record that holds a document. */
export function toDocumentRecord({ collection, document, id, isDated, time }: Received): ReceivedRecord {
  return {
    kind: collection,
    source: '',
    type: getDocumentType(collection),
    path: ['Documents'],
    stream: streams[collection],
    isEvent: true,
    isUndated: !isDated,
    time,
    identity: id,
    content: null,
    clientData: { [documentKey]: document, [idKey]: id }
  }
}

/**
 * Lists the records of the values in a document, as its import does. `skip` counts what has no value. Returns
 * an empty list for other collections than entries and treatments.
 */
export function listValues(
  { collection, document, id, time }: Received,
  skip: (kind: string) => void = () => undefined
): ReceivedRecord[] {
  const records: ReceivedRecord[] = []
  if (collection !== 'entries' && collection !== 'treatments') return records
  const reader = new NightscoutReader('UTC', {
    addRecord: record =>
      records.push({
        ...record,
        time,
        ...(record.kind === 'sgv'
          ? // There is one for each time: another value is a correction.
            { isFrequent: true, replaces: true }
          : { clientData: { ...record.clientData, [idKey]: id } })
      }),
    skip,
    addFile: () => Promise.resolve(),
    warn: () => undefined
  })
  reader.read(document)
  return records
}
