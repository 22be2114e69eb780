/** The streams that a query of events searches: the requested ones, limited by the caller's permissions. (docs/spec/streams-queries.md#what-is-added) */
import type { StreamsCriteria } from '../../storage/event-query/query.js'
import type { StreamRepository } from '../../storage/repositories/streams.js'
import { auditRoot } from '../audit-ids.js'
import type { Caller } from '../permissions/caller.js'
import { fail } from '../errors.js'
import type { Call } from '../call/method.js'
import { parseStreamsQuery, type StreamsQuery, type Wanted } from './streams-query.js'
import { isTrashed, subtree } from '../streams/tree.js'
import { activeId } from '../system-ids.js'
import type { Scope } from '../streams/tags.js'
import type { StreamNode } from '../../storage/streams/node.js'

/**
 * Returns the scope of a `streams` parameter. `withTrashed`: whether events in trashed streams count. Errors:
 * `invalid-request-structure`, `unknown-referenced-resource`, `forbidden`.
 */
export function eventScope(call: Call, streams: unknown, withTrashed: boolean): Scope {
  const scopes = scopesOf(call)
  const key = `${withTrashed ? 'all' : 'live'} ${streams === undefined ? '' : JSON.stringify(streams)}`
  if (scopes.has(key)) return scopes.get(key)
  const builder = new ScopeBuilder(call, withTrashed)
  const scope = builder.build(streams)
  if (builder.size > maxCachedSize || key.length > maxCachedKey) return scope
  if (scopes.size >= maxCached) scopes.clear()
  scopes.set(key, scope)
  return scope
}

/** Limits on the scopes cached for each access, and on the streams in one of them. */
const maxCached = 20
const maxCachedSize = 20_000
/** Longest query that is cached, in characters: ids may have any length. */
const maxCachedKey = 10_000

/**
 * Limit of streams in the criteria of one query. Each id stands for its whole subtree in each criterion: naming the root of
 * ten thousand streams a thousand times would take seconds, and exhaust the memory.
 */
const maxStreams = 500_000

interface Known {
  readonly streams: StreamRepository
  readonly version: number
  readonly scopes: Map<string, Scope>
}

const known = new WeakMap<object, Known>()

/** The scopes cached for the caller's access and this version of the tree. */
function scopesOf({ caller, store: { streams } }: Call): Map<string, Scope> {
  const access = caller.access ?? fail('invalid-access-token')
  const found = known.get(access)
  if (found?.streams === streams && found.version === streams.version) return found.scopes
  const scopes = new Map<string, Scope>()
  known.set(access, { streams, version: streams.version, scopes })
  return scopes
}

const none: ReadonlySet<number> = new Set()

const everything: StreamsQuery = { store: '', any: '*', all: [], not: [] }

class ScopeBuilder {
  readonly #streams: StreamRepository
  readonly #caller: Caller
  readonly #limit: number
  /** Streams that hide every event in them. */
  readonly #closed: ReadonlySet<number>
  #size = 0

  constructor(
    { caller, services, store }: Call,
    private readonly withTrashed: boolean
  ) {
    this.#streams = store.streams
    this.#caller = caller
    this.#limit = services.config.limits.queryIds
    const { sight } = caller
    this.#closed = sight.everything ? none : sight.closed
  }

  /** How many streams have been named so far. */
  get size(): number {
    return this.#size
  }

  build(value: unknown): Scope {
    const queries: readonly StreamsQuery[] =
      value === undefined
        ? [everything]
        : parseStreamsQuery(value, this.#limit).filter(({ store }) => store !== auditRoot)
    this.#assertStreamsKnown(queries)
    this.#assertStreamsReadable(queries)
    const criteria = queries.flatMap(query => this.#criteria(query) ?? [])
    const isEverything = criteria.some(
      ({ any, all, excludesAccountFields: isOwn, not }) =>
        !any && !isOwn && all.length === 0 && not.size === 0
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
  #criteria({ any, all, not }: StreamsQuery): StreamsCriteria | undefined {
    const excluded = this.#numbers(not.flatMap(wanted => this.#listed(wanted)))
    const every = all.map(wanted => this.#numbers(this.#listedLive(wanted)))
    const isOut = excluded.size === 0 ? this.#closed : this.#counted([...this.#closed, ...excluded])
    const within = any === '*' ? this.#open(isOut) : this.#requested(any)
    const left = within && difference(within, isOut)
    if (left?.size === 0 || every.some(set => set.size === 0)) return undefined
    const isOwn = !left && !this.#caller.sight.everything
    return {
      ...(left && { any: left }),
      ...(isOwn && { excludesAccountFields: isOwn }),
      all: every,
      not: isOut
    }
  }

  /**
   * All readable streams; `undefined` if these are no restriction, or none beyond the user's own streams. If some are excluded,
   * the others are still named: a query is faster by them if they are few.
   */
  #open(isOut: ReadonlySet<number>): ReadonlySet<number> | undefined {
    const { sight } = this.#caller
    const nodes = sight.everything
      ? [...this.#streams.list()]
      : [...sight.readable].flatMap(number => this.#streams.findByNumber(number) ?? [])
    const live = this.withTrashed ? nodes : nodes.filter(node => !isTrashed(node))
    const isAll = (sight.everything || sight.isOwn) && nodes.length > 0 && live.length === nodes.length
    if (isAll && isOut.size === 0) return undefined
    return this.#counted(live.map(({ number }) => number))
  }

  /** The requested streams, as far as they may be read: streams below them may have other levels. */
  #requested(any: readonly Wanted[]): ReadonlySet<number> {
    const { sight } = this.#caller
    const nodes = any.flatMap(wanted => this.#live(wanted))
    return this.#numbers(sight.everything ? nodes : nodes.filter(({ number }) => sight.readable.has(number)))
  }

  /** A stream and, if wanted, those below it; without trashed ones unless these count. */
  #live({ id, withBelow }: Wanted): readonly StreamNode[] {
    const node = this.#streams.find(id)
    if (!node) return []
    const nodes = this.#named(withBelow ? subtree(node) : [node])
    return this.withTrashed ? nodes : nodes.filter(at => !isTrashed(at))
  }

  /** Ids that the caller may not list count as unknown, so that their existence cannot be probed. */
  #listedLive(wanted: Wanted): readonly StreamNode[] {
    return this.#isListed(wanted) ? this.#live(wanted) : []
  }

  #listed(wanted: Wanted): readonly StreamNode[] {
    const node = this.#streams.find(wanted.id)
    if (!node || !this.#isListed(wanted)) return []
    return this.#named(wanted.withBelow ? subtree(node) : [node])
  }

  /** The mark of values in force is not secret: every account has it, and whoever reads a value sees it. */
  #isListed({ id }: Wanted): boolean {
    return id === activeId || this.#caller.may('list', id)
  }

  /** Counts the streams that a query stands for. Throws if there are too many. */
  #named<T>(streams: readonly T[]): readonly T[] {
    this.#size += streams.length
    if (this.#size > maxStreams)
      fail('invalid-request-structure', `The streams query stands for more than ${maxStreams} streams`)
    return streams
  }

  #counted(numbers: readonly number[]): Set<number> {
    return new Set(this.#named(numbers))
  }

  #numbers(nodes: readonly StreamNode[]): Set<number> {
    return new Set(nodes.map(({ number }) => number))
  }
}

function difference(set: ReadonlySet<number>, without: ReadonlySet<number>): Set<number> {
  return new Set([...set].filter(number => !without.has(number)))
}
