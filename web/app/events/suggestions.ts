/** What somebody probably wants to add: what they add most and last; and finding all else by words. */
import { firstKinds, kindName, kinds, typeName, type Kind } from '../data/event-types.js'
import type { EventTypes, Fact } from '../data/model.js'
import type { Tree } from '../data/tree.js'
import { unitOf, wishedType } from '../data/units.js'

/** Something to add, to a stream that is there or to one that is made for it. */
export interface Suggestion {
  readonly key: string
  readonly type: string
  readonly name: string
  readonly streamId?: string
  /** What the last one said. */
  readonly latest?: unknown
  readonly newStream?: { readonly id?: string; readonly name: string }
  /** Class and unit, which tell apart suggestions of the same name. */
  readonly detail?: string
}

/** Most suggestions that are shown at first. */
const most = 6
/** Seconds after which what somebody has added counts half. */
const halfLife = 30 * 86_400
/** Times a day that somebody adds the same by hand, at most. */
const mostByHand = 6
/** Most results of a search. */
const mostFound = 40

/**
 * Returns what somebody adds most and last, the first of all first: `facts` tell of it. Only of one stream and those below it
 * if it is given. Those who have added little are offered what people begin with.
 */
export function suggestionsOf(
  facts: readonly Fact[],
  tree: Tree | undefined,
  now: number,
  streamId?: string
): readonly Suggestion[] {
  const within = streamId === undefined ? undefined : new Set(tree?.idsBelow(streamId))
  const used = facts
    .filter(fact => isAdded(fact, tree) && (!within || within.has(fact.streamId)))
    .toSorted((a, b) => weightOf(b, now) - weightOf(a, now))
    .slice(0, most)
    .map(fact => ({
      key: `${fact.streamId} ${fact.type}`,
      type: fact.type,
      name: tree!.find(fact.streamId)!.name,
      streamId: fact.streamId,
      ...(fact.latest === undefined ? {} : { latest: fact.latest })
    }))
  const known = new Set(used.map(({ type }) => classOf(type)))
  const first = kinds
    .filter(kind => isFirst(kind) && !known.has(classOf(kind.type)))
    .map(kind => ofKind(kind, facts, tree, streamId))
  return [...used, ...first].slice(0, Math.max(most, used.length))
}

/** Returns what fits the words that somebody types: what people know by name first, then all types. */
export function found(
  wanted: string,
  types: EventTypes,
  facts: readonly Fact[],
  tree: Tree | undefined,
  streamId?: string
): readonly Suggestion[] {
  const words = folded(wanted).split(/\s+/).filter(Boolean)
  const fits = (text: string): boolean => {
    const own = folded(text).split(/[\s/,-]+/)
    return words.every(word => own.some(each => each.startsWith(word)))
  }
  const known = kinds.filter(kind => fits(`${kindName(kind)} ${kind.words} ${kind.type}`))
  const others = Object.keys(types)
    .filter(type => !type.endsWith('/*') && !known.some(kind => kind.type === type))
    .filter(type =>
      fits(`${typeName(type)} ${type} ${unitOf(type)?.name ?? ''} ${unitOf(type)?.symbol ?? ''}`)
    )
  return [
    ...known.map(kind => ofKind(kind, facts, tree, streamId)),
    ...others.map(type => ofType(type, typeName(type), facts, tree, streamId))
  ].slice(0, mostFound)
}

/** Returns the one for a type in a stream, as a link to adding names them. */
export function suggestionFor(
  type: string,
  facts: readonly Fact[],
  tree: Tree | undefined,
  streamId?: string
): Suggestion {
  const kind = kinds.find(each => each.type === type)
  return kind ? ofKind(kind, facts, tree, streamId) : ofType(type, typeName(type), facts, tree, streamId)
}

function ofKind(kind: Kind, facts: readonly Fact[], tree: Tree | undefined, streamId?: string): Suggestion {
  const name = kindName(kind)
  const isGlucose = kind.id === 'glucose'
  const wished = wishedType(kind.type, { isGlucose })
  const own = tree?.find(kind.id)
  if (own && !isTrashed(own.id, tree) && streamId === undefined)
    return { key: kind.id, type: wished, name, streamId: own.id }
  return { ...ofType(wished, name, facts, tree, streamId), newStream: { id: kind.id, name } }
}

/** In the stream given, or in the one in which such a thing was last added. */
function ofType(
  type: string,
  name: string,
  facts: readonly Fact[],
  tree: Tree | undefined,
  streamId?: string
): Suggestion {
  const latest = facts
    .filter(
      fact =>
        isAdded(fact, tree) && fact.type === type && (streamId === undefined || fact.streamId === streamId)
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

/** Whether it is something that a person adds here: no series, nothing of the service, nothing in the trash. */
function isAdded({ streamId, type }: Fact, tree: Tree | undefined): boolean {
  return !type.startsWith('series:') && tree?.find(streamId) !== undefined && !isTrashed(streamId, tree)
}

function isTrashed(id: string, tree: Tree | undefined): boolean {
  return tree?.pathOf(id).some(({ trashed }) => trashed) ?? false
}

/** What comes many times a day comes from a device: nobody types it. */
function weightOf({ count, first, last, type }: Fact, now: number): number {
  const days = Math.max(1, (last - first) / 86_400)
  const byHand = count / days > mostByHand ? 0.02 : 1
  const usual = kinds.some(each => isFirst(each) && classOf(each.type) === classOf(type)) ? 1.5 : 1
  return Math.log2(1 + count) * 2 ** (-Math.max(0, now - last) / halfLife) * byHand * usual
}

function isFirst({ id }: Kind): boolean {
  return (firstKinds as readonly string[]).includes(id)
}

function classOf(type: string): string {
  return type.split('/')[0]!
}

/** Without case and accents. */
function folded(text: string): string {
  return text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase()
}
