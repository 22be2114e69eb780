/** Plans the lanes of measures: one for each, over all its sources, or one for each source. */
import { toPlainText } from '../../plain-text.js'
import { getUnitSymbol } from '../data/format-values.js'
import {
  getCurrency,
  getMeasureColour,
  getMeasureName,
  getShownType,
  type AnyMeasure,
  type LatestValue,
  type MeasureFact
} from '../data/measures.js'
import type { Stream } from '../data/model.js'
import { isRating } from '../data/units.js'
import { colourKey, getStreamColour } from '../data/stream-colours.js'
import type { Tree } from '../data/tree.js'
import type { LaneKind, LanePlan } from './plan-lane.js'

/** Begins the ids of measures' lanes, which ids of streams cannot. The id of a source follows after a slash. */
const prefix = '@'

/** Returns the id of a measure's lane; with `streamId`, of the lane of one of its sources. */
export function getMeasureLaneId(measure: string, streamId?: string): string {
  return `${prefix}${measure}${streamId === undefined ? '' : `/${streamId}`}`
}

/** Plans the lanes of measures whose numbers or nights can be drawn; others are shown by their streams. */
export function planMeasures(
  facts: readonly MeasureFact[],
  findMeasure: (id: string) => AnyMeasure | undefined,
  tree: Tree
): LanePlan[] {
  return facts.flatMap(fact => {
    const definition = findMeasure(fact.measure)
    return (definition && planMeasure(fact, definition, tree)) ?? []
  })
}

/** Plans the lane of a measure; undefined if its data cannot be drawn, or is in no stream of the tree. */
function planMeasure(fact: MeasureFact, definition: AnyMeasure, tree: Tree): LanePlan | undefined {
  const kind = getKind(definition, fact)
  // Facts may name streams that have been created since the tree was read.
  const sources = fact.sources.filter(({ streamId }) => tree.find(streamId))
  const stream = sources[0] && tree.find(sources[0].streamId)
  if (!kind || !stream) return undefined
  return {
    id: getMeasureLaneId(fact.measure),
    stream,
    name: getMeasureName(definition),
    colour: getColour(definition, stream),
    unit: getUnit(definition, fact),
    kind,
    streamIds: [...new Set(sources.map(({ streamId }) => streamId))],
    types: [...new Set(sources.map(({ type }) => type))],
    numeric: [],
    count: fact.count,
    first: fact.first,
    last: fact.last,
    measure: { definition, latest: fact.latest, sources }
  }
}

/** Returns the plan of one source of a measure's lane; undefined if it is none of its sources. */
function planSource(plan: LanePlan, streamId: string, tree: Tree): LanePlan | undefined {
  const { measure } = plan
  const sources = measure?.sources.filter(source => source.streamId === streamId) ?? []
  const stream = tree.find(streamId)
  if (!measure || sources.length === 0 || !stream) return undefined
  return {
    ...plan,
    id: getMeasureLaneId(measure.definition.id, streamId),
    stream,
    name: `${plan.name}: ${toPlainText(getSourceName(streamId, tree))}`,
    streamIds: [streamId],
    types: sources.map(({ type }) => type),
    count: sources.reduce((sum, { count }) => sum + count, 0),
    first: Math.min(...sources.map(({ first }) => first)),
    last: Math.max(...sources.map(({ last }) => last)),
    measure: { ...measure, only: streamId }
  }
}

/**
 * Returns the plan of a lane by its id: of a measure, or of one of its sources. Undefined if there is none.
 */
export function findMeasureLane(id: string, measured: readonly LanePlan[], tree: Tree): LanePlan | undefined {
  if (!id.startsWith(prefix)) return undefined
  const slash = id.indexOf('/')
  if (slash < 0) return measured.find(plan => plan.id === id)
  const whole = measured.find(plan => plan.id === id.slice(0, slash))
  return whole && planSource(whole, id.slice(slash + 1), tree)
}

/**
 * Returns the name of a source: the name of the stream above, then the name of its stream. Empty for an
 * unknown stream.
 */
export function getSourceName(streamId: string, tree: Tree): string {
  return tree
    .getPath(streamId)
    .slice(-2)
    .map(({ name }) => toPlainText(name))
    .join(' › ')
}

function getKind({ kind, types }: AnyMeasure, { sources }: MeasureFact): LaneKind | undefined {
  if (kind === 'pair') return 'pairs'
  if (kind === 'span') return types.some(type => type.startsWith('sleep/')) ? 'nights' : undefined
  if (kind === 'sum') return 'numbers'
  if (kind !== 'level') return undefined
  return sources.some(({ type }) => type.startsWith('series:')) ? 'series' : 'numbers'
}

/** Returns the colour that the user has chosen for the preferred source, otherwise the colour of the measure. */
function getColour(definition: AnyMeasure, stream: Stream): string {
  return stream.clientData?.[colourKey] === undefined ? getMeasureColour(definition) : getStreamColour(stream)
}

function getUnit(definition: AnyMeasure, { latest }: MeasureFact): string {
  const [type] = definition.types
  return getUnitSymbol(isRating(type!) ? type! : getLaneType(definition, latest))
}

/** Returns the type in which the numbers of a measure's lane are given: amounts of money are not converted. */
export function getLaneType(definition: AnyMeasure, latest: LatestValue): string {
  return getCurrency({ latest }) ?? getShownType(definition)
}
