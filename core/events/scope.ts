/** The streams that a query of events searches: the requested ones, limited by the caller's permissions. (docs/spec/streams-queries.md#what-is-added) */
import type { StreamsCriteria } from '../../storage/event-query/query.js'
import type { StreamRepository } from '../../storage/repositories/streams.js'
import { auditRoot } from '../audit-ids.js'
import type { Caller } from '../permissions/caller.js'
import { createPersonTest } from '../permissions/one-person.js'
import { fail } from '../errors.js'
import type { Call } from '../call/method.js'
import { parseStreamsQuery, type StreamsQuery, type RequestedStream } from './streams-query.js'
import { isTrashed, listSubtree } from '../streams/tree.js'
import { activeId, sharedSecretsRoot } from '../system-ids.js'
import type { Scope } from '../streams/tags.js'
import type { StreamNode } from '../../storage/streams/node.js'

/**
 * Returns the scope of a `streams` parameter: `undefined` if every event matches, empty if none can.
 * `withTrashed`: whether events in trashed streams count. Errors: `invalid-request-structure`,
 * `unknown-referenced-resource`, `forbidden`.
 */
export function resolveEventScope(call: Call, streams: unknown, withTrashed: boolean): Scope {
  return resolveScope(call, streams, { withTrashed, isOfOnePerson: call.caller.isPersonal })
}

/**
 * Does the same for values that are merged: where no streams are named, the scope is of one person, and empty if the access reads
 * data of several people, and none of the user. See {@link createPersonTest}.
 */
export function resolveMergedScope(call: Call, streams: unknown, withTrashed: boolean): Scope {
  return resolveScope(call, streams, { withTrashed, isOfOnePerson: true })
}

interface ScopeOptions {
  readonly withTrashed: boolean
  /** Whether streams that are not named are searched only if they are of one person. */
  readonly isOfOnePerson: boolean
}

function resolveScope(call: Call, streams: unknown, options: ScopeOptions): Scope {
  const scopes = getCachedScopes(call)
  const { withTrashed } = options
  const isOfOnePerson = options.isOfOnePerson && call.store.mirrors.isUsed
  const kind = `${withTrashed ? 'all' : 'live'}${isOfOnePerson ? ' merged' : ''}`
  const key = `${kind} ${streams === undefined ? '' : JSON.stringify(streams)}`
  if (scopes.has(key)) return scopes.get(key)
  const builder = new ScopeBuilder(call, { withTrashed, isOfOnePerson })
  const scope = builder.build(streams)
  if (builder.size > maxCachedSize || key.length > maxCachedKey) return scope
  if (scopes.size >= maxCached) scopes.clear()
  scopes.set(key, scope)
  return scope
}

/** Limits on the number of scopes cached for each access, and on the number of streams in one scope. */
const maxCached = 20
const maxCachedSize = 20_000
/** Longest query that is cached, in characters: ids may have any length. */
const maxCachedKey = 10_000

/**
 * Maximum number of streams in the criteria of one query. In each criterion, an id stands for a whole subtree: naming
 * the root of ten thousand streams a thousand times would take seconds, and exhaust the memory.
 */
const maxStreams = 500_000

interface CachedScopes {
  readonly streams: StreamRepository
  readonly version: number
  readonly scopes: Map<string, Scope>
}

const cacheByAccess = new WeakMap<object, CachedScopes>()

/** Returns the scopes cached for the caller's access and this version of the tree. */
function getCachedScopes({ caller, store: { streams } }: Call): Map<string, Scope> {
  const access = caller.access ?? fail('invalid-access-token')
  const found = cacheByAccess.get(access)
  if (found?.streams === streams && found.version === streams.version) return found.scopes
  const scopes = new Map<string, Scope>()
  cacheByAccess.set(access, { streams, version: streams.version, scopes })
  return scopes
}

const noNumbers: ReadonlySet<number> = new Set()

const unrestrictedQuery: StreamsQuery = { store: '', any: '*', all: [], not: [] }

class ScopeBuilder {
  readonly #streams: StreamRepository
  readonly #caller: Caller
  readonly #limit: number
  readonly #withTrashed: boolean
  /** Streams that hide every event in them. */
  readonly #closedStreams: ReadonlySet<number>
  /** Tests whether streams that are not named are searched; `undefined` if all are. */
  readonly #isOfPerson: ((streamId: string) => boolean) | undefined
  #size = 0

  constructor({ caller, services, store }: Call, { isOfOnePerson, withTrashed }: ScopeOptions) {
    this.#withTrashed = withTrashed
    this.#streams = store.streams
    this.#caller = caller
    this.#limit = services.config.limits.queryIds
    if (isOfOnePerson && caller.access) this.#isOfPerson = createPersonTest(caller.access)
    const { visibility } = caller
    this.#closedStreams = visibility.everything ? noNumbers : visibility.closed
  }

  /** Number of streams that the query stands for so far. */
  get size(): number {
    return this.#size
  }

  /** Returns the scope of a `streams` parameter. Returns `undefined` if the query matches every event. */
  build(value: unknown): Scope {
    const queries: readonly StreamsQuery[] =
      value === undefined
        ? [unrestrictedQuery]
        : parseStreamsQuery(value, this.#limit).filter(
            ({ store }) => store !== auditRoot && store !== sharedSecretsRoot
          )
    this.#assertStreamsKnown(queries)
    this.#assertStreamsReadable(queries)
    const criteria = queries.flatMap(query => this.#toCriteria(query) ?? [])
    const isEverything = criteria.some(
      ({ any, all, excludesAccountFields, not }) =>
        !any && !excludesAccountFields && all.length === 0 && not.size === 0
    )
    return isEverything ? undefined : criteria
  }

  #assertStreamsKnown(queries: readonly StreamsQuery[]): void {
    const unknown = queries.flatMap(({ any }) =>
      any === '*' ? [] : any.flatMap(({ id }) => (this.#streams.find(id) ? [] : [id]))
    )
    if (unknown.length === 0) return
    const streams = [...new Set(unknown)]
    const named = streams.slice(0, 10).map(id => id.slice(0, 100))
    fail('unknown-referenced-resource', `Unknown streams: ${named.join(', ')}`, { streams })
  }

  #assertStreamsReadable(queries: readonly StreamsQuery[]): void {
    for (const { any } of queries) if (any !== '*') this.#caller.must('read', ...any.map(({ id }) => id))
  }

  /** Translates a query; `undefined` if no event can match it. */
  #toCriteria({ any, all, not }: StreamsQuery): StreamsCriteria | undefined {
    const excluded = this.#toNumbers(not.flatMap(wanted => this.#resolveListedWithTrashed(wanted)))
    const every = all.map(wanted => this.#toNumbers(this.#resolveListed(wanted)))
    const excludedStreams =
      excluded.size === 0 ? this.#closedStreams : this.#toCountedSet([...this.#closedStreams, ...excluded])
    const within = any === '*' ? this.#allReadable(excludedStreams) : this.#requestedReadable(any)
    const left = within && subtractSet(within, excludedStreams)
    if (left?.size === 0 || every.some(set => set.size === 0)) return undefined
    const excludesAccountFields = !left && !this.#caller.visibility.everything
    return {
      ...(left && { any: left }),
      ...(excludesAccountFields && { excludesAccountFields }),
      all: every,
      not: excludedStreams
    }
  }

  /**
   * Returns all readable streams; `undefined` if that is no restriction, or no restriction other than to the user's own
   * streams. If some streams are excluded, the others are still named, since a query over few streams is faster.
   */
  #allReadable(excludedStreams: ReadonlySet<number>): ReadonlySet<number> | undefined {
    const { visibility } = this.#caller
    const nodes = visibility.everything
      ? [...this.#streams.list()]
      : [...visibility.readable].flatMap(number => this.#streams.findByNumber(number) ?? [])
    const isOfPerson = this.#isOfPerson
    const own = isOfPerson ? nodes.filter(({ stream }) => isOfPerson(stream.id)) : nodes
    const live = this.#withTrashed ? own : own.filter(node => !isTrashed(node))
    const isAll =
      (visibility.everything || visibility.isAllButAccountFields) &&
      nodes.length > 0 &&
      live.length === nodes.length
    if (isAll && excludedStreams.size === 0) return undefined
    return this.#toCountedSet(live.map(({ number }) => number))
  }

  /** Returns the requested streams, as far as they may be read: streams below them may have other levels. */
  #requestedReadable(any: readonly RequestedStream[]): ReadonlySet<number> {
    const { visibility } = this.#caller
    const nodes = any.flatMap(wanted => this.#resolve(wanted))
    return this.#toNumbers(
      visibility.everything ? nodes : nodes.filter(({ number }) => visibility.readable.has(number))
    )
  }

  /** Returns a stream and, if wanted, the streams below it; without trashed streams unless the query includes these. */
  #resolve({ id, withBelow }: RequestedStream): readonly StreamNode[] {
    const node = this.#streams.find(id)
    if (!node) return []
    const nodes = this.#countStreams(withBelow ? listSubtree(node) : [node])
    return this.#withTrashed ? nodes : nodes.filter(at => !isTrashed(at))
  }

  /**
   * Resolves a stream unless the caller may not list it: it then counts as unknown, so that its existence cannot be
   * probed.
   */
  #resolveListed(wanted: RequestedStream): readonly StreamNode[] {
    return this.#mayReference(wanted) ? this.#resolve(wanted) : []
  }

  #resolveListedWithTrashed(wanted: RequestedStream): readonly StreamNode[] {
    const node = this.#streams.find(wanted.id)
    if (!node || !this.#mayReference(wanted)) return []
    return this.#countStreams(wanted.withBelow ? listSubtree(node) : [node])
  }

  /**
   * Returns whether the caller may refer to a stream. The mark of values in force is not secret: every account has it,
   * and every caller who reads a value sees it.
   */
  #mayReference({ id }: RequestedStream): boolean {
    return id === activeId || this.#caller.may('list', id)
  }

  /** Counts the streams that a query stands for. Throws if there are too many. */
  #countStreams<T>(streams: readonly T[]): readonly T[] {
    this.#size += streams.length
    if (this.#size > maxStreams)
      fail('invalid-request-structure', `The streams query matches more than ${maxStreams} streams`)
    return streams
  }

  #toCountedSet(numbers: readonly number[]): Set<number> {
    return new Set(this.#countStreams(numbers))
  }

  #toNumbers(nodes: readonly StreamNode[]): Set<number> {
    return new Set(nodes.map(({ number }) => number))
  }
}

function subtractSet(set: ReadonlySet<number>, without: ReadonlySet<number>): Set<number> {
  return new Set([...set].filter(number => !without.has(number)))
}
