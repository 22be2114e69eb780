/** Answers requests of version 3 of Nightscout's API: those of AndroidAPS. */
import { fail } from '../../../core/errors.js'
import { getNumber, getText, isObject, type Json } from '../../../imports/formats/json-files.js'
import type { DialectAnswer, ReceivedRequest } from '../dialect.js'
import { parseJsonBody } from '../reading-builder.js'
import { collections, receiveDocument, type Collection } from './documents.js'
import { parseCount, parseFind, parseHttpDate } from './find.js'
import type { Library, StoredDocument } from './library.js'
import { nightscoutVersion } from './version1.js'

const apiVersion = '3.0.4'
/** Maximum number of documents in an answer. */
const maxLimit = 1000
/** Earliest date of a document, in milliseconds: the year 2000. */
const minDate = 946_684_800_000
const maxOffset = 1440
/** Maximum number of documents before an answer. */
const maxSkip = 100_000
/** Members that identify a document, and never change. */
const immutable = ['date', 'utcOffset', 'eventType', 'device', 'app'] as const

/** Answers a request; what does not exist with 404. `path`: the segments after `api/v3`. */
export async function answerVersion3(
  request: ReceivedRequest,
  path: readonly string[],
  library: Library
): Promise<DialectAnswer> {
  const [name = '', id, ...rest] = path.map(segment => segment.replace(/\.json$/, ''))
  const srvDate = Math.floor(request.now * 1000)
  if (request.method === 'GET' && id === undefined) {
    const version = {
      version: nightscoutVersion,
      apiVersion,
      srvDate,
      storage: { storage: 'coffer', version: '1' }
    }
    if (name === 'version') return succeed(version)
    if (name === 'status') return succeed({ ...version, apiPermissions: listRights(library) })
    if (name === 'lastModified')
      return succeed({ srvDate, collections: await getLastModified(library, request.now) })
  }
  const collection = collections.find(each => each === name)
  if (!collection) return refuse(404, 'Not found')
  if (id === 'history' && request.method === 'GET')
    return await readHistory(request, collection, rest[0], library)
  if (rest.length > 0) return refuse(404, 'Not found')
  if (id !== undefined) return await handleOne(request, collection, id, library)
  if (request.method === 'GET') return await searchDocuments(request, collection, library)
  return request.method === 'POST'
    ? await create(request, collection, parseDocument(request), library)
    : refuse(404, 'Not found')
}

function succeed(result: unknown, headers: Readonly<Record<string, string>> = {}): DialectAnswer {
  return { status: 200, headers, body: { status: 200, result } }
}

function refuse(status: number, message: string): DialectAnswer {
  return { status, body: { status, message } }
}

function listRights({ canAdd, canChange, canRead }: Library): object {
  const rights = `${canAdd ? 'c' : ''}${canRead ? 'r' : ''}${canChange ? 'ud' : ''}`
  return Object.fromEntries([...collections, 'food', 'settings'].map(name => [name, rights]))
}

async function getLastModified(library: Library, now: number): Promise<Record<string, number>> {
  const times: Record<string, number> = {}
  for (const collection of collections) {
    const last = await library.findLastModified(collection, now)
    if (last !== undefined) times[collection] = last
  }
  return times
}

/** Returns a document with what version 3 adds. */
function toVersion3({ created, document, id, isDeleted, modified }: StoredDocument): Json {
  return {
    ...document,
    identifier: getText(document, 'identifier') ?? id,
    srvModified: modified,
    srvCreated: created,
    ...(isDeleted && { isValid: false })
  }
}

/** Answers with the documents that have changed since a time in milliseconds, in the path or in `Last-Modified`. */
async function readHistory(
  { headers, now, query }: ReceivedRequest,
  collection: Collection,
  given: string | undefined,
  library: Library
): Promise<DialectAnswer> {
  const since = given === undefined ? parseHttpDate(headers['last-modified'] ?? '') : Number(given)
  if (!Number.isFinite(since)) return refuse(400, 'Missing or invalid time')
  const limit = parseCount(query['limit'], maxLimit, maxLimit)
  // Clients continue after the last millisecond that they have seen: the present one is not over.
  const found = await library.listChanges(collection, since, Math.floor(now * 1000), limit)
  const last = found.at(-1)?.modified ?? since
  return succeed(found.map(toVersion3), {
    etag: `W/"${last}"`,
    'last-modified': new Date(last).toUTCString()
  })
}

/** Members by which documents can be sorted: all contain their time. */
const sortable: ReadonlySet<string> = new Set(['date', 'created_at', 'mills', 'dateString', 'timestamp'])
/** Parameters of a search that are no conditions. */
const searchParameters: ReadonlySet<string> = new Set(['limit', 'skip', 'fields', 'sort', 'sort$desc', 'now'])

/** Answers with the documents that meet the conditions in the query, in the requested order, reduced to `fields`. */
async function searchDocuments(
  { query }: ReceivedRequest,
  collection: Collection,
  library: Library
): Promise<DialectAnswer> {
  const limit = parseCount(query['limit'], maxLimit, maxLimit)
  const skip = parseCount(query['skip'], 0, maxSkip)
  const order = query['sort'] ?? query['sort$desc']
  if (order !== undefined && !sortable.has(order)) return refuse(400, 'Documents can be sorted by date only')
  const conditions = Object.entries(query).flatMap(([name, value]) => {
    if (searchParameters.has(name)) return []
    const [, member, operator = 'eq'] = /^([\w.]+)(?:\$(\w+))?$/.exec(name) ?? []
    return member === undefined ? [] : [[`find[${member}][$${operator}]`, value] as const]
  })
  const find = parseFind(Object.fromEntries(conditions))
  const isAscending = query['sort'] !== undefined
  const found = await library.list(collection, find, skip + limit, { isAscending, present: toVersion3 })
  const { fields = '_all' } = query
  const names = new Set(fields.split(','))
  const listed = found.slice(skip).map(each => {
    const all = toVersion3(each)
    if (fields === '_all') return all
    return Object.fromEntries(Object.entries(all).filter(([name]) => names.has(name)))
  })
  return succeed(listed)
}

function parseDocument({ body }: ReceivedRequest): Json {
  const parsed = parseJsonBody(body)
  return isObject(parsed) ? parsed : fail('invalid-request-structure', 'The body must be an object')
}

/** Returns why a document cannot be stored. */
function findFault(document: Json): string | undefined {
  const date = getNumber(document, 'date')
  if (date === undefined || date <= minDate) return 'Bad or missing date field'
  const offset = document['utcOffset']
  if (offset !== undefined && (typeof offset !== 'number' || Math.abs(offset) > maxOffset))
    return 'Bad or missing utcOffset field'
  return (getText(document, 'app') ?? '') === '' ? 'Bad or missing app field' : undefined
}

/** Stores a document. Answers 201, or 200 if a document with its identity exists. */
async function create(
  { now }: ReceivedRequest,
  collection: Collection,
  given: Json,
  library: Library
): Promise<DialectAnswer> {
  const fault = findFault(given)
  if (fault !== undefined) return refuse(400, fault)
  const document = { utcOffset: 0, ...given }
  const { id, time } = receiveDocument(collection, document, now)
  const known = library.canRead ? await library.find(collection, id, time) : undefined
  const identifier = getText(document, 'identifier') ?? id
  await library.add(collection, [{ ...document, identifier, _id: id }], now)
  const lastModified = Math.floor(now * 1000)
  return known && !known.isDeleted
    ? { status: 200, body: { status: 200, identifier, isDeduplication: true, lastModified } }
    : { status: 201, body: { status: 201, identifier, lastModified } }
}

/** Handles a request for one document. */
async function handleOne(
  request: ReceivedRequest,
  collection: Collection,
  identifier: string,
  library: Library
): Promise<DialectAnswer> {
  const { id } = receiveDocument(collection, { _id: identifier }, request.now)
  const found =
    (await library.find(collection, id)) ?? (await library.findByIdentifier(collection, identifier))
  const { method } = request
  if (!found)
    return method === 'PUT'
      ? await create(request, collection, { ...parseDocument(request), identifier }, library)
      : refuse(404, 'Not found')
  if (found.isDeleted) return refuse(410, 'Gone')
  if (method === 'GET') return succeed(toVersion3(found))
  if (method === 'DELETE') {
    await library.delete(found)
    return { status: 200, body: { status: 200 } }
  }
  if (method !== 'PUT' && method !== 'PATCH') return refuse(404, 'Not found')
  if (!library.canChange) return refuse(403, 'Forbidden')
  const changes = parseDocument(request)
  const fixed = immutable.find(name => changes[name] !== undefined && changes[name] !== found.document[name])
  if (fixed !== undefined && found.document[fixed] !== undefined)
    return refuse(400, `Field ${fixed} cannot be modified by the client`)
  const document = { ...(method === 'PATCH' && found.document), ...changes, identifier, _id: found.id }
  const fault = findFault(document)
  if (fault !== undefined) return refuse(400, fault)
  await library.add(collection, [document], request.now)
  return { status: 200, body: { status: 200, identifier, lastModified: Math.floor(request.now * 1000) } }
}
