/** The `streams` parameter of `events.get`, in any of its forms, parsed into plain queries. (docs/spec/streams-queries.md) */
import { fail, quoteText } from '../errors.js'
import { isFollowedId, isSystemId } from '../system-ids.js'

/** A requested id. */
export interface RequestedStream {
  readonly id: string
  /** Whether the streams below count as well: not for ids given as `id!`. */
  readonly withBelow: boolean
}

/** One query. Every part has to hold. */
export interface StreamsQuery {
  /** Prefix of the ids of the queried store, such as `:_audit:`; empty for the account's own. */
  readonly store: string
  /** `*`: everything that may be read. */
  readonly any: readonly RequestedStream[] | '*'
  readonly all: readonly RequestedStream[]
  readonly not: readonly RequestedStream[]
}

/**
 * Returns the queries in the parameter, at least one of which has to match. Throws `invalid-request-structure` for anything
 * that is not a query, or names more than `limit` ids.
 */
export function parseStreamsQuery(value: unknown, limit: number): StreamsQuery[] {
  const queries = parseQueries(typeof value === 'string' ? parseText(value, limit) : value, limit)
  const ids = queries.reduce((sum, { any, all, not }) => sum + any.length + all.length + not.length, 0)
  assertCount(ids, limit)
  return removeDuplicates(
    queries.map(({ store, any, all, not }) => ({
      store,
      any: any === '*' ? any : removeDuplicates(any),
      all: removeDuplicates(all),
      not: removeDuplicates(not)
    }))
  )
}

/**
 * Refuses a parameter with more than `limit` ids, or that is no query, before anything else looks at it: it may have millions of
 * members. Queries in texts are left to {@link parseStreamsQuery}. Throws as that does.
 */
export function assertStreamsQuery(value: unknown, limit: number): void {
  if (typeof value !== 'object' || value === null) return
  if (Array.isArray(value) && value.length === 1 && typeof value[0] === 'string') return
  parseStreamsQuery(value, limit)
}

/** Removes duplicates, so that an id given a thousand times is looked up once. */
function removeDuplicates<T>(items: readonly T[]): T[] {
  if (items.length < 2) return [...items]
  return [...new Map(items.map(item => [JSON.stringify(item), item])).values()]
}

function refuse(reason: string): never {
  fail('invalid-request-structure', `The streams query ${reason}`)
}

function assertCount(count: number, limit: number): void {
  if (count > limit) refuse(`contains more than ${limit} IDs`)
}

/** Longest id in JSON text, in characters. */
const maxIdLength = 8 * 1024

/** Parses a text, which is either the JSON of a query or a single id. Throws `invalid-request-structure`. */
function parseText(text: string, limit: number): unknown {
  if (!/^\s*[[{]/.test(text)) return [text]
  assertCount(text.length / maxIdLength, limit)
  try {
    return JSON.parse(text)
  } catch {
    return refuse('is not valid JSON')
  }
}

function parseQueries(value: unknown, limit: number): StreamsQuery[] {
  // Before anything iterates over them. (docs/spec/streams-queries.md#refused-queries)
  assertCount(countIds(value, limit), limit)
  if (!Array.isArray(value)) return [parseQuery(value)]
  const items: unknown[] = value
  // A query string may hold a whole query as the one item of an array.
  if (items.length === 1 && typeof items[0] === 'string' && /^\s*[[{]/.test(items[0]))
    return parseQueries(parseText(items[0], limit), limit)
  if (items.every(item => typeof item === 'string')) return groupByStore(items)
  if (items.some(item => typeof item === 'string')) refuse('mixes IDs and objects')
  return items.map(parseQuery)
}

/** Returns how many ids a value names; the number of its queries if there are already too many queries. */
function countIds(value: unknown, limit: number): number {
  const items: readonly unknown[] = Array.isArray(value) ? value : [value]
  if (items.length > limit) return items.length
  return items.reduce<number>((sum, item) => {
    if (typeof item !== 'object' || item === null) return sum + 1
    const { any, all, not } = item as Record<string, unknown>
    return [any, all, not].reduce<number>((count, ids) => count + (Array.isArray(ids) ? ids.length : 0), sum)
  }, 0)
}

/** Converts plain ids to queries, one for each store. */
function groupByStore(ids: readonly string[]): StreamsQuery[] {
  const byStore = new Map<string, string[]>()
  for (const id of ids) {
    const store = getStoreOfId(id)
    const known = byStore.get(store)
    if (known) known.push(id)
    else byStore.set(store, [id])
  }
  return [...byStore.values()].map(any => parseQuery({ any }))
}

const queryKeys = new Set(['any', 'all', 'not'])

/** Parses one query object. All of its ids have to belong to one store. */
function parseQuery(value: unknown): StreamsQuery {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    refuse('must contain either IDs or objects')
  const unknown = Object.keys(value).find(key => !queryKeys.has(key))
  if (unknown !== undefined) refuse(`has an unknown key ${quoteText(unknown)}`)
  const { any, all, not } = value as Record<string, unknown>
  if (any === undefined) refuse('needs "any"')
  const query = {
    store: '',
    any: parseIds(any, 'any'),
    all: parseIds(all ?? [], 'all'),
    not: parseIds(not ?? [], 'not')
  }
  if ([...query.all, ...query.not].some(({ id }) => id === '*')) refuse('allows "*" only in "any"')
  const stores = new Set([...query.any, ...query.all, ...query.not].map(({ id }) => getStoreOfId(id)))
  if (stores.size > 1) refuse('mixes IDs of several stores')
  const [store = ''] = stores
  if (!query.any.some(({ id }) => id === '*')) return { ...query, store }
  if (query.any.length > 1) refuse('cannot combine "*" with other IDs')
  if (query.all.length > 0) refuse('cannot combine "*" with "all"')
  return { ...query, any: '*' }
}

function parseIds(value: unknown, key: string): RequestedStream[] {
  if (!Array.isArray(value)) refuse(`needs an array for "${key}"`)
  return value.map(item => parseId(item, key))
}

// Quotes, the backslash and some control characters never occur in ids. (docs/spec/streams-queries.md#refused-queries)
// oxlint-disable-next-line no-control-regex -- matches control characters on purpose
const invalidCharacters = /["'\\\u0000\b\t\n\r\u001a]/

function parseId(item: unknown, key: string): RequestedStream {
  if (typeof item !== 'string') refuse(`allows only IDs in "${key}"`)
  if (item === '') refuse('contains an empty ID')
  if (item === '#*' || item === '*!' || invalidCharacters.test(item)) refuse('contains an invalid ID')
  return item.endsWith('!') && item.length > 1
    ? { id: item.slice(0, -1), withBelow: false }
    : { id: item, withBelow: true }
}

/**
 * Returns the store that an id belongs to: its prefix `:name:`, unless that is a prefix of the account's own streams.
 */
function getStoreOfId(id: string): string {
  if (!isSystemId(id) || isFollowedId(id)) return ''
  const store = /^:[^:]*:/.exec(id)?.[0] ?? ''
  return store === ':_system:' || store === ':system:' ? '' : store
}
