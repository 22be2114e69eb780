/** Suggests what the user probably wants to add, by frequency and recency, and searches all event types. */
import { foldText } from '../../plain-text.js'
import { suggestedKinds, getKindName, eventKinds, getTypeName, type EventKind } from '../data/event-types.js'
import type { EventTypes, Fact } from '../data/model.js'
import type { Tree } from '../data/tree.js'
import { getUnit, getDisplayType } from '../data/units.js'
import type { NewStream } from './save-event.js'

/** A suggested event, in an existing stream or in one that will be created. */
export interface Suggestion {
  readonly key: string
  readonly type: string
  readonly name: string
  readonly streamId?: string
  /** The latest value. */
  readonly latest?: unknown
  readonly newStream?: NewStream
  /** Class and unit, which distinguish suggestions of the same name. */
  readonly detail?: string
}

/** Maximum suggestions shown initially. */
const maxSuggestions = 6
/** Seconds after which the weight of an event halves. */
const halfLifeSeconds = 30 * 86_400
/** Maximum events per day that are assumed to be entered manually. */
const maxManualPerDay = 6
/** Maximum search results. */
const maxResults = 40

/**
 * Returns what the user adds most often and most recently according to `facts`, best first; if `streamId` is
 * given, only in that stream and those below it. New users get common kinds. Others get them if they use few
 * kinds.
 */
export function listSuggestions(
  facts: readonly Fact[],
  tree: Tree | undefined,
  now: number,
  streamId?: string
): readonly Suggestion[] {
  const within = streamId === undefined ? undefined : new Set(tree?.listSubtreeIds(streamId))
  const used = facts
    .filter(fact => isManual(fact, tree) && (!within || within.has(fact.streamId)))
    .toSorted((a, b) => getWeight(b, now) - getWeight(a, now))
    .slice(0, maxSuggestions)
    .map(fact => ({
      key: `${fact.streamId} ${fact.type}`,
      type: fact.type,
      name: tree!.find(fact.streamId)!.name,
      streamId: fact.streamId,
      ...(fact.latest === undefined ? {} : { latest: fact.latest })
    }))
  const known = new Set(used.map(({ type }) => getClass(type)))
  const first = eventKinds
    .filter(kind => isSuggestedKind(kind) && !known.has(getClass(kind.type)))
    .map(kind => suggestKind(kind, facts, tree, streamId))
  return [...used, ...first].slice(0, Math.max(maxSuggestions, used.length))
}

/**
 * Searches kinds and types by the beginnings of the words typed: common kinds first, then all types, up to a
 * number of results.
 */
export function searchKinds(
  query: string,
  types: EventTypes,
  facts: readonly Fact[],
  tree: Tree | undefined,
  streamId?: string
): readonly Suggestion[] {
  const words = foldText(query).split(/\s+/).filter(Boolean)
  const matches = (text: string): boolean => {
    const candidates = foldText(text).split(/[\s/,-]+/)
    return words.every(word => candidates.some(each => each.startsWith(word)))
  }
  const known = eventKinds.filter(kind => matches(`${getKindName(kind)} ${kind.words} ${kind.type}`))
  const others = Object.keys(types)
    .filter(type => !type.endsWith('/*') && !known.some(kind => kind.type === type))
    .filter(type =>
      matches(`${getTypeName(type)} ${type} ${getUnit(type)?.name ?? ''} ${getUnit(type)?.symbol ?? ''}`)
    )
  return [
    ...known.map(kind => suggestKind(kind, facts, tree, streamId)),
    ...others.map(type => suggestType(type, getTypeName(type), facts, tree, streamId))
  ].slice(0, maxResults)
}

/** Returns the suggestion for a type, in the given stream or in the one with its latest event. */
export function findSuggestion(
  type: string,
  facts: readonly Fact[],
  tree: Tree | undefined,
  streamId?: string
): Suggestion {
  const kind = eventKinds.find(each => each.type === type)
  return kind
    ? suggestKind(kind, facts, tree, streamId)
    : suggestType(type, getTypeName(type), facts, tree, streamId)
}

/** Suggests a kind of event: in the stream of its measure if that exists, else with one to create. */
function suggestKind(
  kind: EventKind,
  facts: readonly Fact[],
  tree: Tree | undefined,
  streamId?: string
): Suggestion {
  const name = getKindName(kind)
  const isGlucose = kind.id === 'glucose'
  const displayType = getDisplayType(kind.type, { isGlucose })
  const candidates = tree?.find(kind.id)
  if (candidates && !isTrashed(candidates.id, tree) && streamId === undefined)
    return { key: kind.id, type: displayType, name, streamId: candidates.id }
  return {
    ...suggestType(displayType, name, facts, tree, streamId),
    newStream: { id: kind.id, name, measure: kind.measure }
  }
}

/** Suggests a type in the given stream, or in the one that has its latest event. */
function suggestType(
  type: string,
  name: string,
  facts: readonly Fact[],
  tree: Tree | undefined,
  streamId?: string
): Suggestion {
  const latest = facts
    .filter(
      fact =>
        isManual(fact, tree) && fact.type === type && (streamId === undefined || fact.streamId === streamId)
    )
    .toSorted((a, b) => b.last - a.last)[0]
  const stream = streamId ?? latest?.streamId
  return {
    key: type,
    type,
    name,
    detail: type,
    newStream: { name },
    ...(stream === undefined ? {} : { streamId: stream }),
    ...(latest?.latest === undefined ? {} : { latest: latest.latest })
  }
}

/** Returns whether events of this kind can be added by hand: no series, no system streams, nothing in the trash. */
function isManual({ streamId, type }: Fact, tree: Tree | undefined): boolean {
  return !type.startsWith('series:') && tree?.find(streamId) !== undefined && !isTrashed(streamId, tree)
}

function isTrashed(id: string, tree: Tree | undefined): boolean {
  return tree?.getPath(id).some(({ trashed }) => trashed) ?? false
}

/** Returns the weight of a suggestion. Events recorded many times a day come from devices and count little. */
function getWeight({ count, first, last, type }: Fact, now: number): number {
  const days = Math.max(1, (last - first) / 86_400)
  const manualFactor = count / days > maxManualPerDay ? 0.02 : 1
  const usualFactor = eventKinds.some(each => isSuggestedKind(each) && getClass(each.type) === getClass(type))
    ? 1.5
    : 1
  return Math.log2(1 + count) * 2 ** (-Math.max(0, now - last) / halfLifeSeconds) * manualFactor * usualFactor
}

function isSuggestedKind({ id }: EventKind): boolean {
  return (suggestedKinds as readonly string[]).includes(id)
}

function getClass(type: string): string {
  return type.split('/')[0]!
}
