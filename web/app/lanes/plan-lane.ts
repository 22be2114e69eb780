/** Decides which lanes are shown, and what each contains, from the contents of its stream. */
import { toPlainText } from '../../plain-text.js'
import { getUnitSymbol } from '../data/format-values.js'
import type { AnyMeasure, LatestValue, MeasureFact } from '../data/measures.js'
import type { Fact, Stream } from '../data/model.js'
import { getStreamColour } from '../data/stream-colours.js'
import type { Tree } from '../data/tree.js'

export type LaneKind = 'series' | 'numbers' | 'pairs' | 'nights' | 'marks'

/** The contents of a lane. */
export interface LanePlan {
  /**
   * Id of the stream that the lane shows; or of the measure, if the lane shows one or all sources of a measure (see
   * `plan-measure.ts`).
   */
  readonly id: string
  /** The stream, or the stream of the preferred source. */
  readonly stream: Stream
  /** CSS value. */
  readonly colour: string
  /** Symbol of the unit of its numbers; empty if there is none. */
  readonly unit: string
  readonly measure?: MeasureOfLane
  /** Display name. */
  readonly name: string
  readonly kind: LaneKind
  /** Streams and types of the events that it shows. */
  readonly streamIds: readonly string[]
  readonly types: readonly string[]
  /** The types whose contents are numbers. */
  readonly numeric: readonly string[]
  /** Number of what people count: readings, notes, runs. */
  readonly count: number
  readonly first: number
  readonly last: number
  /** The latest content, if known. */
  readonly latest?: unknown
}

/** What the lane of a measure shows. */
export interface MeasureOfLane {
  readonly definition: AnyMeasure
  readonly latest: LatestValue
  /** In order of preference. */
  readonly sources: MeasureFact['sources']
  /** The only source that is shown, if it is one of several. */
  readonly only?: string
}

/** Number of default lanes, and the maximum. */
const defaultLaneCount = 6
export const maxLanes = 12
/** A stream is active if its latest event is at most this many seconds older than the newest one. */
const activeSeconds = 60 * 86_400

/** Types by priority for default lanes. */
const preferredTypes = [
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

/**
 * Plans the lane of a stream: with its own events, or those of the streams below if it has none. Returns undefined if there are no
 * events.
 */
export function planLane(stream: Stream, tree: Tree, facts: readonly Fact[]): LanePlan | undefined {
  const own = facts.filter(({ streamId }) => streamId === stream.id)
  const below = new Set(tree.listSubtreeIds(stream.id))
  const used = own.length > 0 ? own : facts.filter(({ streamId }) => below.has(streamId))
  const kinds = new Map<LaneKind, Fact[]>()
  for (const fact of used) {
    const kind = getLaneKind(fact)
    kinds.set(kind, [...(kinds.get(kind) ?? []), fact])
  }
  const ranked = Array.from(kinds, ([kind, own_]) => ({ kind, facts: own_, rank: getRank(kind, own_) }))
  const best = ranked.toSorted((one, other) => other.rank - one.rank)[0]
  if (!best) return undefined
  // A line shows one type; marks of all types share a lane.
  const [main] = best.facts.toSorted((one, other) => other.count - one.count)
  const chosen = best.kind === 'marks' ? best.facts : best.facts.filter(({ type }) => type === main!.type)
  const newest = chosen.reduce((latest, fact) => (fact.last > latest.last ? fact : latest))
  return {
    id: stream.id,
    stream,
    colour: getStreamColour(stream),
    unit: getUnitSymbol(chosen[0]!.type),
    name: getLaneName(stream, tree, facts),
    kind: best.kind,
    streamIds: [...new Set(chosen.map(({ streamId }) => streamId))],
    types: [...new Set(chosen.map(({ type }) => type))],
    numeric: [...new Set(chosen.filter(({ latest }) => typeof latest === 'number').map(({ type }) => type))],
    count: chosen.reduce((sum, { shownCount }) => sum + shownCount, 0),
    first: Math.min(...chosen.map(({ first }) => first)),
    last: newest.last,
    ...(newest.latest === undefined ? {} : { latest: newest.latest })
  }
}

/** Returns a text that is the same for plans whose data is read alike. */
export function getLoadKey({ id, kind, measure, streamIds, types, unit }: LanePlan): string {
  // The order of a measure's sources decides which of them is shown.
  return JSON.stringify([kind, streamIds, types, measure && [id, unit]])
}

/** Returns the name of a stream; prefixed with its parent's if that contains nothing else: "Heart rate: Watch". */
function getLaneName({ name, parentId }: Stream, tree: Tree, facts: readonly Fact[]): string {
  const parent = parentId === null ? undefined : tree.find(parentId)
  const isOnly = parent?.children.length === 1 && parent.parentId !== null
  if (!isOnly || facts.some(({ streamId }) => streamId === parent.id)) return toPlainText(name)
  return `${toPlainText(parent.name)}: ${toPlainText(name)}`
}

/** Returns how events of a type are drawn. */
export function getLaneKind({ latest, type }: Pick<Fact, 'latest' | 'type'>): LaneKind {
  if (type.startsWith('series:'))
    return /^series:(?:position|numset|encrypted)\b/.test(type) ? 'marks' : 'series'
  if (type.startsWith('blood-pressure/')) return 'pairs'
  if (type.startsWith('sleep/')) return 'nights'
  return typeof latest === 'number' ? 'numbers' : 'marks'
}

/** Returns how much the data of a kind weighs: the kind with the greatest rank is drawn. */
function getRank(kind: LaneKind, facts: readonly Fact[]): number {
  const count = facts.reduce((sum, fact) => sum + fact.count, 0)
  // A series of any length is a single event, so its count says nothing.
  return kind === 'series' ? Infinity : kind === 'nights' || kind === 'pairs' ? count * 10 : count
}

/**
 * Returns the ids of the default lanes, at most a few: measures and streams with recent data (all if these
 * are few), by priority of their types.
 */
export function chooseDefaultLanes(
  tree: Tree,
  facts: readonly Fact[],
  measured: readonly LanePlan[]
): string[] {
  const streams = planStreams(tree, omitShown(facts, measured))
  const plans = [...measured, ...streams]
  const newest = Math.max(...plans.map(({ last }) => last))
  const active = plans.filter(({ last }) => last >= newest - activeSeconds)
  const chosen: string[] = []
  for (const plan of (active.length >= 3 ? active : plans).toSorted(
    (one, other) => getPriority(one) - getPriority(other)
  )) {
    const id = plan.measure ? plan.id : findSharedLane(plan, streams, tree)
    if (!chosen.includes(id) && chosen.length < defaultLaneCount) chosen.push(id)
  }
  return chosen
}

/** What lanes are planned from. */
export interface Contents {
  readonly tree: Tree
  readonly facts: readonly Fact[]
  /** The lanes of all measures. */
  readonly measured: readonly LanePlan[]
}

/**
 * Returns the lanes, followed by lanes for the streams and types that were not among the facts before and
 * that none shows yet, up to the maximum number.
 */
export function addNewLanes(
  lanes: readonly string[],
  before: readonly Fact[],
  { facts, measured, tree }: Contents
): readonly string[] {
  const known = new Set(before.map(({ streamId, type }) => `${streamId} ${type}`))
  const found = facts.filter(({ streamId, type }) => !known.has(`${streamId} ${type}`))
  if (found.length === 0) return lanes
  const shown = lanes.flatMap(id => {
    const stream = tree.find(id)
    return measured.find(plan => plan.id === id) ?? (stream && planLane(stream, tree, facts)) ?? []
  })
  const added = [...measured, ...planStreams(tree, omitShown(facts, measured))]
    .filter(plan => found.some(fact => isShownBy(plan, fact) && !shown.some(lane => isShownBy(lane, fact))))
    .map(({ id }) => id)
  return [...lanes, ...added.filter(id => !lanes.includes(id))].slice(0, Math.max(lanes.length, maxLanes))
}

/** Returns the facts that no lane of a measure shows. */
function omitShown(facts: readonly Fact[], measured: readonly LanePlan[]): Fact[] {
  return facts.filter(fact => !measured.some(plan => isShownBy(plan, fact)))
}

function isShownBy({ measure, streamIds, types }: LanePlan, { streamId, type }: Fact): boolean {
  if (measure) return measure.sources.some(source => source.streamId === streamId && source.type === type)
  return streamIds.includes(streamId) && types.includes(type)
}

/** Plans the lanes of all streams with events of their own. */
function planStreams(tree: Tree, facts: readonly Fact[]): LanePlan[] {
  return tree.all
    .filter(({ id, trashed }) => trashed !== true && facts.some(({ streamId }) => streamId === id))
    .flatMap(stream => planLane(stream, tree, facts) ?? [])
}

/** Returns the place of a lane in the default order, lowest first: by its types, then by its number of events. */
function getPriority({ count, types }: LanePlan): number {
  const places = types
    .map(type => preferredTypes.findIndex(each => each.test(type.replace(/^series:/, ''))))
    .filter(at => at >= 0)
  return (
    (places.length > 0 ? Math.min(...places) : preferredTypes.length) -
    Math.min(0.9, Math.log10(count + 1) / 10)
  )
}

/** Returns the stream whose lane shows a plan: notes, photos and the like below one stream share its lane. */
function findSharedLane(plan: LanePlan, plans: readonly LanePlan[], tree: Tree): string {
  const { id, parentId } = plan.stream
  if (plan.kind !== 'marks' || parentId === null || plans.some(({ stream }) => stream.id === parentId))
    return id
  const siblings = plans.filter(({ stream }) => stream.parentId === parentId)
  const marks = siblings.filter(({ kind }) => kind === 'marks')
  return marks.length > 1 && tree.find(parentId) ? parentId : id
}
