/** Which lanes there are, and what each of them shows: by what its stream holds. */
import { plain } from '../../plain.js'
import type { Fact, Stream } from '../data/model.js'
import type { Tree } from '../data/tree.js'

export type LaneKind = 'series' | 'numbers' | 'pairs' | 'nights' | 'marks'

/** What a lane is about. */
export interface Plan {
  readonly stream: Stream
  /** As people call it. */
  readonly name: string
  readonly kind: LaneKind
  /** Streams and types of the events that it shows. */
  readonly streamIds: readonly string[]
  readonly types: readonly string[]
  /** Those of the types whose contents are numbers. */
  readonly numeric: readonly string[]
  /** Events, or holders of series. */
  readonly count: number
  readonly first: number
  readonly last: number
  /** The latest content that is known. */
  readonly latest?: unknown
}

/** Lanes at first, and at most. */
const mostAtFirst = 6
export const mostLanes = 12
/** Seconds since the newest event within which a stream counts as in use. */
const inUse = 60 * 86_400

/** Kinds of data that most people look for first. */
const wanted = [
  /^frequency\//,
  /^mass\/(?:kg|lb|st)$/,
  /^blood-pressure\//,
  /^sleep\//,
  /^note\//,
  /^picture\//,
  /^activity\//,
  /^position\//,
  /^count\//,
  /^mood\//
]

/** What a lane of a stream shows: of its own events, or of those below it if it has none. Undefined if there are none at all. */
export function planOf(stream: Stream, tree: Tree, facts: readonly Fact[]): Plan | undefined {
  const own = facts.filter(({ streamId }) => streamId === stream.id)
  const below = new Set(tree.idsBelow(stream.id))
  const used = own.length > 0 ? own : facts.filter(({ streamId }) => below.has(streamId))
  const kinds = new Map<LaneKind, Fact[]>()
  for (const fact of used) {
    const kind = kindOf(fact)
    kinds.set(kind, [...(kinds.get(kind) ?? []), fact])
  }
  const ranked = Array.from(kinds, ([kind, own_]) => ({ kind, facts: own_, rank: rankOf(kind, own_) }))
  const best = ranked.toSorted((one, other) => other.rank - one.rank)[0]
  if (!best) return undefined
  // One line for one kind of number; marks of all kinds go together.
  const [main] = best.facts.toSorted((one, other) => other.count - one.count)
  const chosen = best.kind === 'marks' ? best.facts : best.facts.filter(({ type }) => type === main!.type)
  const newest = chosen.reduce((latest, fact) => (fact.last > latest.last ? fact : latest))
  return {
    stream,
    name: nameOf(stream, tree, facts),
    kind: best.kind,
    streamIds: [...new Set(chosen.map(({ streamId }) => streamId))],
    types: [...new Set(chosen.map(({ type }) => type))],
    numeric: [...new Set(chosen.filter(({ latest }) => typeof latest === 'number').map(({ type }) => type))],
    count: chosen.reduce((sum, { count }) => sum + count, 0),
    first: Math.min(...chosen.map(({ first }) => first)),
    last: newest.last,
    ...(newest.latest === undefined ? {} : { latest: newest.latest })
  }
}

/** The name of a stream; after that of the one above it, where that one holds nothing else: "Heart rate: Watch". */
function nameOf({ name, parentId }: Stream, tree: Tree, facts: readonly Fact[]): string {
  const parent = parentId === null ? undefined : tree.find(parentId)
  const isOnly = parent?.children.length === 1 && parent.parentId !== null
  if (!isOnly || facts.some(({ streamId }) => streamId === parent.id)) return plain(name)
  return `${plain(parent.name)}: ${plain(name)}`
}

/** What events of a type are drawn as. */
export function kindOf({ latest, type }: Pick<Fact, 'latest' | 'type'>): LaneKind {
  if (type.startsWith('series:'))
    return /^series:(?:position|numset|encrypted)\b/.test(type) ? 'marks' : 'series'
  if (type.startsWith('blood-pressure/')) return 'pairs'
  if (type.startsWith('sleep/')) return 'nights'
  return typeof latest === 'number' ? 'numbers' : 'marks'
}

function rankOf(kind: LaneKind, facts: readonly Fact[]): number {
  const count = facts.reduce((sum, fact) => sum + fact.count, 0)
  // A series of a million points is a single event.
  return kind === 'series' ? Infinity : kind === 'nights' || kind === 'pairs' ? count * 10 : count
}

/** The streams to show when nobody has chosen any: those in use, of the kinds that most people look for. */
export function defaultLanes(tree: Tree, facts: readonly Fact[]): string[] {
  const plans = tree.all
    .filter(({ id, trashed }) => trashed !== true && facts.some(({ streamId }) => streamId === id))
    .flatMap(stream => planOf(stream, tree, facts) ?? [])
  const newest = Math.max(...plans.map(({ last }) => last))
  const fresh = plans.filter(({ last }) => last >= newest - inUse)
  const chosen: string[] = []
  for (const plan of (fresh.length >= 3 ? fresh : plans).toSorted(
    (one, other) => interest(one) - interest(other)
  )) {
    const id = together(plan, plans, tree)
    if (!chosen.includes(id) && chosen.length < mostAtFirst) chosen.push(id)
  }
  return chosen
}

function interest({ count, types }: Plan): number {
  const places = types
    .map(type => wanted.findIndex(each => each.test(type.replace(/^series:/, ''))))
    .filter(at => at >= 0)
  return (places.length > 0 ? Math.min(...places) : wanted.length) - Math.min(0.9, Math.log10(count + 1) / 10)
}

/** Notes, photos and the like below one stream share a lane. */
function together(plan: Plan, plans: readonly Plan[], tree: Tree): string {
  const { id, parentId } = plan.stream
  if (plan.kind !== 'marks' || parentId === null || plans.some(({ stream }) => stream.id === parentId))
    return id
  const siblings = plans.filter(({ stream }) => stream.parentId === parentId)
  const marks = siblings.filter(({ kind }) => kind === 'marks')
  return marks.length > 1 && tree.find(parentId) ? parentId : id
}
