/** Which changed events a scope selects: the criteria of `events.get`, for events as they were. (docs/spec/notifications.md#scopes) */
import {
  composite,
  createValueTest,
  type ContentCondition,
  type Value
} from '../../schemas/content-condition.js'
import type { EventScope } from '../../schemas/scope.js'
import type { EventState } from '../changed-item.js'
import { parseContentConditions } from '../events/content-query.js'
import { parseStreamsQuery, type RequestedStream, type StreamsQuery } from '../events/streams-query.js'
import { ApiError, fail, quoteText } from '../errors.js'
import type { ChangeRecipient, ReadableItem } from '../permissions/change-recipient.js'
import type { Config } from '../settings/config.js'
import { refuseParams } from '../validation/params.js'

type StateTest = (state: EventState) => boolean
type ScopeLimits = Pick<Config['limits'], 'queryIds' | 'queryConditions'>

/** Tests events against the query of one scope. */
export class EventMatcher {
  /** Queries of which at least one has to match; `undefined`: everything that may be read. */
  readonly queries: readonly StreamsQuery[] | undefined
  readonly #tests: readonly StateTest[]
  readonly #withTrashed: boolean

  /** Throws what `events.get` throws for these params, but does not look up their streams. */
  constructor({ query = {} }: EventScope, limits: ScopeLimits) {
    const { state = 'default', streams, types = [] } = query
    this.queries = streams === undefined ? undefined : parseStreams(streams, limits.queryIds)
    this.#withTrashed = state !== 'default'
    const conditions = parseContentConditions(query, { limits })
    this.#tests = [
      ...(types.length > 0 ? [createTypeTest(types)] : []),
      ...(state === 'all' ? [] : [({ trashed }: EventState) => trashed === (state === 'trashed')]),
      ...(conditions ?? []).map(createConditionTest)
    ]
  }

  /**
   * Returns whether the scope selects an event that the recipient could read. Of an unknown state, only the
   * streams are tested. In the trash only events match for which the scope asks.
   */
  matches({ all, item, readable }: ReadableItem, recipient: ChangeRecipient): boolean {
    const { event } = item
    if (event && !this.#tests.every(test => test(event))) return false
    const readableIds = this.#withTrashed ? readable.withTrashed : readable.live
    const allIds = this.#withTrashed ? all.withTrashed : all.live
    if (!this.queries) return readableIds.own.size > 0
    return this.queries.some(
      ({ any, all: every, not }) =>
        (any === '*' ? readableIds.own.size > 0 : any.some(wanted => includesStream(readableIds, wanted))) &&
        every.every(wanted => includesStream(allIds, wanted) && recipient.mayReference(wanted.id)) &&
        !not.some(wanted => includesStream(all.withTrashed, wanted) && recipient.mayReference(wanted.id))
    )
  }
}

/** Stored scopes may predate a lower limit of the settings. */
const unlimited = { queryIds: Infinity, queryConditions: Infinity }

/** By scope, as long as the socket or webhook keeps the object. */
const matchers = new WeakMap<EventScope, EventMatcher | undefined>()

/**
 * Returns the matcher of a scope that was checked when it was given; `undefined` if its query can no longer
 * be read, which must not fail the writes of its account: it then selects everything. Cached by the object.
 */
export function findEventMatcher(scope: EventScope): EventMatcher | undefined {
  if (!matchers.has(scope)) matchers.set(scope, createMatcher(scope))
  return matchers.get(scope)
}

/** Returns the matcher of a scope; `undefined` if its query is invalid. */
function createMatcher(scope: EventScope): EventMatcher | undefined {
  try {
    return new EventMatcher(scope, unlimited)
  } catch (error) {
    if (error instanceof ApiError) return undefined
    throw error
  }
}

function includesStream(
  { own, within }: ReadableItem['all']['live'],
  { id, withBelow }: RequestedStream
): boolean {
  return (withBelow ? within : own).has(id)
}

/** Parses streams in any form of `events.get`; `*` among plain ids stands for everything. */
function parseStreams(streams: unknown, limit: number): StreamsQuery[] | undefined {
  if (Array.isArray(streams)) {
    if (streams.length === 0)
      refuseParams([{ code: 'ARRAY_LENGTH_SHORT', message: 'must name streams', path: '#/query/streams' }])
    if (streams.includes('*') && streams.every(id => typeof id === 'string')) return undefined
  }
  const queries = parseStreamsQuery(streams, limit)
  const other = queries.find(({ store }) => store !== '')
  // Other stores publish no changes.
  if (other) fail('unknown-referenced-resource', `Unknown streams of ${quoteText(other.store)}`)
  return queries
}

function createTypeTest(types: readonly string[]): StateTest {
  const names = new Set(types)
  return ({ type }) => names.has(type) || names.has(`${type.slice(0, type.lastIndexOf('/'))}/*`)
}

/** Returns the test of a condition. It holds for events whose contents are not known. */
function createConditionTest({ comparison, path, within }: ContentCondition): StateTest {
  const test = createValueTest(comparison)
  return ({ data }) => !data || test(findValue(data[within], path))
}

/** Returns the value at a path; arrays are not entered. */
function findValue(whole: unknown, path: readonly string[]): Value {
  let value = whole
  for (const key of path) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
    if (!Object.hasOwn(value, key)) return undefined
    value = (value as Record<string, unknown>)[key]
  }
  return typeof value === 'object' && value !== null ? composite : (value as Value)
}
