/** Who may subscribe to which scopes, and what is left of them when permissions change. (docs/spec/notifications.md#scopes) */
import type { Access } from '../../schemas/access.js'
import type { EventScope, Scope, Scopes } from '../../schemas/scope.js'
import type { UserStore } from '../../storage/user/user-store.js'
import { fail, quoteText } from '../errors.js'
import type { RequestedStream, StreamsQuery } from '../events/streams-query.js'
import type { Caller } from '../permissions/caller.js'
import type { Config } from '../settings/config.js'
import { isWithinShare, type Use } from './account-shares.js'
import { EventMatcher, findEventMatcher } from './event-matcher.js'

/** Limit on the streams and accesses in all scopes of a webhook or socket: every change is compared with each of them. */
const maxIds = 1000
/** Limit on the characters of their queries, which stay in memory while the socket or the account's database is open. */
const maxCharacters = 100_000
/**
 * Limit on the characters of all scopes of an account's sockets as JSON, and of its webhooks. One character takes up to 25 bytes
 * of memory.
 */
const maxTotal = 1_000_000

/** The subscriber, and the service's limits. */
interface Subscriber {
  readonly store: UserStore
  readonly caller: Caller
  readonly config: Config
}

/**
 * Requires that a caller may subscribe to these scopes. Throws `forbidden` for streams it may not read (or list, for
 * changes of streams), `unknown-referenced-resource` for unknown ones, `invalid-operation` for too many scopes or too
 * long ones, and the errors of `events.get` for malformed queries.
 */
export function assertMaySubscribe(subscriber: Subscriber, scopes: Scopes): void {
  const { maxSubscriptions } = subscriber.config.sockets
  const all = Object.values(scopes)
  if (all.length > maxSubscriptions)
    fail('invalid-operation', `There can be at most ${maxSubscriptions} scopes`)
  if (all.reduce((sum, { query }) => sum + countCharacters(query ?? {}), 0) > maxCharacters)
    fail(
      'invalid-operation',
      `The queries of all scopes can have at most ${maxCharacters} characters together`
    )
  let count = 0
  for (const scope of all) {
    count += assertMayHear(subscriber, scope)
    if (count > maxIds)
      fail('invalid-operation', `There can be at most ${maxIds} streams and accesses in all scopes together`)
  }
}

/**
 * Requires that the scopes of an access fit beside those of the account's other sockets, or of its other webhooks. Error:
 * `invalid-operation`.
 */
export function assertRoom(access: Access, scopes: Scopes, inUse: Iterable<Use>): void {
  if (!isWithinShare(access, countAll(scopes), inUse, maxTotal))
    fail(
      'invalid-operation',
      `The scopes of all sockets, or all webhooks, can have at most ${maxTotal} characters together, those of one app or shared access half as many`
    )
}

/** Returns the characters of scopes as JSON. */
export function countAll(scopes: Scopes): number {
  return JSON.stringify(scopes).length
}

/** Returns the characters of a query: of its ids, and of everything else as JSON. */
function countCharacters(query: Readonly<Record<string, unknown>>): number {
  const { streams, ...rest } = query
  const others = Object.keys(rest).length > 0 ? JSON.stringify(rest).length : 0
  if (streams === undefined) return others
  const isIds = Array.isArray(streams) && streams.every(id => typeof id === 'string')
  return others + (isIds ? streams.reduce((sum, id) => sum + id.length, 0) : JSON.stringify(streams).length)
}

/**
 * Requires that a caller may subscribe to a scope. Returns the number of ids in its query. Throws
 * `forbidden`, `unknown-referenced-resource`, and the errors of `events.get`.
 */
function assertMayHear({ caller, config, store }: Subscriber, scope: Scope): number {
  if (scope.kind === 'accesses') {
    const { accessIds = [], streams = [], types = [] } = scope.query ?? {}
    const count = accessIds.length + streams.length + types.length
    // Without a query, every access is notified of the accesses that concern it.
    if (count > 0 && !caller.isPersonal) fail('forbidden')
    assertStreamsKnown(store, streams)
    return count
  }
  if (scope.kind === 'streams') {
    const ids = (scope.query?.streams ?? []).filter(id => id !== '*')
    assertStreamsKnown(store, ids)
    caller.must('list', ...ids)
    return ids.length
  }
  const { queries = [] } = new EventMatcher(scope, config.limits)
  const required = queries.flatMap(({ any }) => (any === '*' ? [] : any.map(({ id }) => id)))
  assertStreamsKnown(store, required)
  caller.must('read', ...required)
  const count = queries.reduce((sum, { all, any, not }) => sum + any.length + all.length + not.length, 0)
  const { streams } = scope.query ?? {}
  return Array.isArray(streams) ? Math.max(streams.length, count) : count
}

function assertStreamsKnown({ streams }: UserStore, ids: readonly string[]): void {
  for (const id of ids)
    if (id !== '*' && !streams.find(id))
      fail('unknown-referenced-resource', `Unknown stream ${quoteText(id)}`, { streams: [id] })
}

/**
 * Returns what is left of scopes after permissions have changed: queries without streams that are gone or may no longer
 * be read, and no scopes of which nothing is left.
 */
export function cutScopes(subscriber: Omit<Subscriber, 'config'>, scopes: Scopes): Scopes {
  return Object.fromEntries(
    Object.entries(scopes).flatMap(([key, scope]) => {
      const left = cutScope(subscriber, scope)
      return left ? [[key, left] as const] : []
    })
  )
}

/**
 * Returns a scope without the streams that the caller may no longer read; `undefined` if none is left. Scopes
 * that name no streams stay.
 */
function cutScope({ caller, store }: Omit<Subscriber, 'config'>, scope: Scope): Scope | undefined {
  const { query } = scope
  if (scope.kind === 'accesses' || query?.streams === undefined) return scope
  const isLeft = (action: 'list' | 'read', id: string): boolean =>
    id === '*' || (store.streams.find(id) !== undefined && caller.may(action, id))
  if (scope.kind === 'streams') {
    const before = scope.query?.streams ?? []
    const streams = before.filter(id => isLeft('list', id))
    if (streams.length === before.length) return scope
    return streams.length > 0 ? { ...scope, query: { streams } } : undefined
  }
  const queries = findEventMatcher(scope)?.queries ?? []
  const left = queries.map(({ any, ...rest }) => {
    return { ...rest, any: any === '*' ? any : any.filter(({ id }) => isLeft('read', id)) }
  })
  if (left.every(({ any }, at) => any.length === queries[at]!.any.length)) return scope
  const streams = left.filter(({ any }) => any.length > 0).map(toParam)
  return streams.length > 0 ? ({ ...scope, query: { ...query, streams } } satisfies EventScope) : undefined
}

/** Returns a query as the param from which it was parsed. */
function toParam({ all, any, not }: StreamsQuery): object {
  return {
    any: any === '*' ? ['*'] : any.map(toId),
    ...(all.length > 0 && { all: all.map(toId) }),
    ...(not.length > 0 && { not: not.map(toId) })
  }
}

function toId({ id, withBelow }: RequestedStream): string {
  return withBelow ? id : `${id}!`
}
