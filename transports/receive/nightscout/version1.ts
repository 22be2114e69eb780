/** Answers requests of version 1 of Nightscout's API: those of Loop, xDrip, followers and watch faces. */
import { fail } from '../../../core/errors.js'
import { isObject, type Json } from '../../../imports/formats/json-files.js'
import type { DialectAnswer, ReceivedRequest } from '../dialect.js'
import { parseJsonBody } from '../reading-builder.js'
import { collections, type Collection } from './documents.js'
import { parseCount, parseFind, parseHttpDate } from './find.js'
import type { AddedDocument, Library } from './library.js'

/** The version of Nightscout whose behaviour apps may expect. */
export const nightscoutVersion = '15.0.3'

const defaultCounts: Record<Collection, number> = {
  entries: 10,
  treatments: 100,
  devicestatus: 10,
  profile: 10,
  activity: 100
}
/** Number of treatments by default if there are conditions. */
const foundTreatments = 1000
const maxCount = 10_000
/** Number of seconds to which entries without a condition on their time are restricted. */
const entrySeconds = 4 * 86_400

/** Answers a request. `path`: the segments after `api/v1`. */
export async function answerVersion1(
  request: ReceivedRequest,
  path: readonly string[],
  library: Library
): Promise<DialectAnswer> {
  const isJson = path.at(-1)?.endsWith('.json') === true
  const [name = '', rest = '', ...more] = path.map(segment => segment.replace(/\.json$/, ''))
  if (more.length > 0) return unknownPath
  if (request.method === 'GET') {
    if (name === 'status')
      return isJson ? { status: 200, body: getStatus(request.now) } : { status: 200, body: 'STATUS OK' }
    if (name === 'verifyauth') return { status: 200, body: { status: 200, message: describeRights(library) } }
    if (name === 'experiments' && rest === 'test') return { status: 200, body: { status: 'ok' } }
  }
  const collection = collections.find(each => each === (name === 'profiles' ? 'profile' : name))
  if (!collection) return unknownPath
  switch (request.method) {
    case 'GET':
      return await readDocuments(request, collection, rest, library)
    case 'POST':
      return {
        status: 200,
        body: (await storeDocuments(request, collection, library)).map(toAnswer)
      }
    case 'PUT': {
      const stored = (await storeDocuments(request, collection, library)).map(toAnswer)
      return { status: 200, body: Array.isArray(parseJsonBody(request.body)) ? stored : (stored[0] ?? {}) }
    }
    case 'DELETE':
      return await remove(collection, rest, library)
    default:
      return unknownPath
  }
}

const unknownPath: DialectAnswer = { status: 404, body: { status: 404, message: 'Not found' } }

/** Returns the status that apps check first. `now` is in seconds. */
function getStatus(now: number): object {
  return {
    status: 'ok',
    name: 'nightscout',
    version: nightscoutVersion,
    serverTime: new Date(now * 1000).toISOString(),
    serverTimeEpoch: Math.round(now * 1000),
    apiEnabled: true,
    careportalEnabled: true,
    boluscalcEnabled: false,
    settings: {
      units: 'mg/dl',
      timeFormat: 24,
      thresholds: { bgHigh: 260, bgTargetTop: 180, bgTargetBottom: 80, bgLow: 55 }
    },
    extendedSettings: {},
    authorized: null
  }
}

function describeRights({ canAdd, canChange, canRead }: Library): object {
  return {
    canRead,
    canWrite: canAdd,
    isAdmin: false,
    message: 'OK',
    rolefound: 'FOUND',
    permissions: canChange ? 'ROLE' : 'DEFAULT'
  }
}

/** Answers with documents, newest first; 304 if none has changed since `If-Modified-Since`. */
async function readDocuments(
  { headers, now, query }: ReceivedRequest,
  collection: Collection,
  rest: string,
  library: Library
): Promise<DialectAnswer> {
  if (/^[0-9a-f]{24}$/.test(rest)) {
    const found = await library.find(collection, rest)
    return { status: 200, body: found && !found.isDeleted ? [found.document] : [] }
  }
  const isCurrent = rest === 'current'
  const type = collection === 'entries' && !isCurrent && rest !== '' ? { 'find[type]': rest } : {}
  const find = parseFind({ ...query, ...type })
  const isFound = collection === 'treatments' && find.conditions.length > 0
  const count = isCurrent
    ? 1
    : parseCount(query['count'], isFound ? foundTreatments : defaultCounts[collection], maxCount)
  const from =
    collection === 'entries' && !find.hasTimeCondition && !isCurrent ? now - entrySeconds : find.from
  const found = await library.list(collection, { ...find, from }, count)
  const documents = found.map(({ document }) => document)
  const body = collection === 'profile' && isCurrent ? (documents[0] ?? {}) : documents
  if (found.length === 0) return { status: 200, body }
  const seconds = Math.floor(found.reduce((last, { modified }) => Math.max(last, modified), 0) / 1000)
  const since = parseHttpDate(headers['if-modified-since'] ?? '') / 1000
  const modified = { 'last-modified': new Date(seconds * 1000).toUTCString() }
  return since >= seconds
    ? { status: 304, headers: modified, body: '' }
    : { status: 200, headers: modified, body }
}

async function storeDocuments(
  { body, now }: ReceivedRequest,
  collection: Collection,
  library: Library
): ReturnType<Library['add']> {
  const parsed = parseJsonBody(body)
  const list: unknown[] = Array.isArray(parsed) ? parsed : [parsed]
  if (!list.every(isObject))
    fail('invalid-request-structure', 'The body must be an object, or an array of objects')
  return await library.add(collection, list.map(omitSecrets), now)
}

/** Returns a stored document with its id; one that is not stored has none, so that apps do not take it for stored. */
function toAnswer({ document, isStored }: AddedDocument): Json {
  const { _id: _omitted, ...rest } = document
  return isStored ? document : rest
}

/** Some apps send the secret in the documents; it is not stored. */
function omitSecrets({ secret: _secret, token: _token, ...rest }: Record<string, unknown>): Json {
  return rest
}

async function remove(collection: Collection, id: string, library: Library): Promise<DialectAnswer> {
  if (!/^[0-9a-f]{24}$/.test(id))
    fail('invalid-request-structure', 'Documents are deleted one by one, by their _id')
  const found = await library.find(collection, id)
  if (found && !found.isDeleted) await library.delete(found)
  const deletedCount = found && !found.isDeleted ? 1 : 0
  return { status: 200, body: { acknowledged: true, deletedCount, n: deletedCount } }
}
