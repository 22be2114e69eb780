/** Which streams a query of events may and shall look at: the caller's permissions applied to what was asked. (docs/spec/streams-queries.md#what-is-added) */
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
 * The scope of a `streams` parameter. `withTrashed`: whether events in trashed streams count. Errors:
 * `invalid-request-structure`, `unknown-referenced-resource`, `forbidden`.
 */
export function eventScope(call: Call, streams: unknown, withTrashed: boolean): Scope {
  const scopes = scopesOf(call)
  const key = `${withTrashed ? 'all' : 'live'} ${streams === undefined ? '' : JSON.stringify(streams)}`
  if (scopes.has(key)) return scopes.get(key)
  const builder = new ScopeBuilder(call, withTrashed)
  const scope = builder.build(streams)
  if (builder.size > largestRemembered || key.length > longestRemembered) return scope
  if (scopes.size >= remembered) scopes.clear()
  scopes.set(key, scope)
  return scope
}

/** Scopes remembered for each access, and how many streams one of them may name: most name few. */
const remembered = 20
const largestRemembered = 20_000
/** Characters of a query that is remembered: ids may be as long as anybody likes. */
const longestRemembered = 10_000

/**
 * Streams that the criteria of one query may name together. Each id stands for all below it, and each criterion names its
 * own: a thousand times the root of ten thousand streams would take seconds, and the memory of the whole service.
 */
const largest = 500_000

interface Known {
  readonly streams: StreamRepository
  readonly version: number
  readonly scopes: Map<string, Scope>
}

const known = new WeakMap<object, Known>()

/** The scopes that have been worked out for the caller's access and this version of the tree. */
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
  /** Streams that no event may be in to be seen. */
  readonly #closed: ReadonlySet<number>
  #size = 0

  constructor(
    { caller, core, store }: Call,
    private readonly withTrashed: boolean
  ) {
    this.#streams = store.streams
    this.#caller = caller
    this.#limit = core.config.limits.queryIds
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
    this.#mustBeKnown(queries)
    this.#mustBeReadable(queries)
    const criteria = queries.flatMap(query => this.#criteria(query) ?? [])
    const isEverything = criteria.some(
      ({ any, all, isOwn, not }) => !any && !isOwn && all.length === 0 && not.size === 0
    )
    return isEverything ? undefined : criteria
  }

  #mustBeKnown(queries: readonly StreamsQuery[]): void {
    const unknown = queries.flatMap(({ any }) =>
      any === '*' ? [] : any.flatMap(({ id }) => (this.#streams.find(id) ? [] : [id]))
    )
    if (unknown.length === 0) return
    const streams = [...new Set(unknown)]
    fail('unknown-referenced-resource', `Unknown streams: ${streams.slice(0, 10).join(', ')}`, { streams })
  }

  #mustBeReadable(queries: readonly StreamsQuery[]): void {
    for (const { any } of queries) if (any !== '*') this.#caller.must('read', ...any.map(({ id }) => id))
  }

  /** What a query comes down to; `undefined` if no event can meet it. */
  #criteria({ any, all, not }: StreamsQuery): StreamsCriteria | undefined {
    const excluded = this.#numbers(not.flatMap(wanted => this.#listed(wanted)))
    const every = all.map(wanted => this.#numbers(this.#listedLive(wanted)))
    const isOut = excluded.size === 0 ? this.#closed : this.#counted([...this.#closed, ...excluded])
    const within = any === '*' ? this.#open(isOut) : this.#asked(any)
    const left = within && difference(within, isOut)
    if (left?.size === 0 || every.some(set => set.size === 0)) return undefined
    const isOwn = !left && !this.#caller.sight.everything
    return { ...(left && { any: left }), ...(isOwn && { isOwn }), all: every, not: isOut }
  }

  /**
   * All streams that may be read; `undefined` if that is not a restriction, or none beyond what is the user's own. Where some
   * are out, the others are named all the same: if they are few, a query gets on better by them.
   */
  #open(isOut: ReadonlySet<number>): ReadonlySet<number> | undefined {
    const { sight } = this.#caller
    const nodes = sight.everything
      ? [...this.#streams.list()]
      : [...sight.readable].flatMap(number => this.#streams.byNumber(number) ?? [])
    const live = this.withTrashed ? nodes : nodes.filter(node => !isTrashed(node))
    const isAll = (sight.everything || sight.isOwn) && nodes.length > 0 && live.length === nodes.length
    if (isAll && isOut.size === 0) return undefined
    return this.#counted(live.map(({ number }) => number))
  }

  /** The streams that are named, as far as they may be read: levels may be others below them. */
  #asked(any: readonly Wanted[]): ReadonlySet<number> {
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

  /** Ids that the caller may not list count as unknown, so that nothing can be probed. */
  #listedLive(wanted: Wanted): readonly StreamNode[] {
    return this.#isListed(wanted) ? this.#live(wanted) : []
  }

  #listed(wanted: Wanted): readonly StreamNode[] {
    const node = this.#streams.find(wanted.id)
    if (!node || !this.#isListed(wanted)) return []
    return this.#named(wanted.withBelow ? subtree(node) : [node])
  }

  /** What marks the values in force is not a secret: everybody has it, and who reads a value sees its mark. */
  #isListed({ id }: Wanted): boolean {
    return id === activeId || this.#caller.may('list', id)
  }

  /** Counts what a query comes to name. */
  #named<T>(streams: readonly T[]): readonly T[] {
    this.#size += streams.length
    if (this.#size > largest)
      fail('invalid-request-structure', `The streams query stands for more than ${largest} streams`)
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
