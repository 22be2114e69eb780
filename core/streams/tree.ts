/** Traverses the tree of streams: pure functions without recursion. */
import type { StreamRepository } from '../../storage/repositories/streams.js'
import type { Steps } from '../../storage/steps.js'
import type { StreamNode } from '../../storage/streams/node.js'

/** Yields a stream and its ancestors, up to its root. */
export function* iterateAncestors(node: StreamNode): Generator<StreamNode> {
  for (let at: StreamNode | undefined = node; at; at = at.parent) yield at
}

/** Returns a stream and its descendants; each comes after its parent. */
export function listSubtree(node: StreamNode): StreamNode[] {
  const nodes = [node]
  // The loop also visits the nodes it appends.
  for (const at of nodes) for (const child of at.children) nodes.push(child)
  return nodes
}

/** Does the same as {@link listSubtree}, in steps. */
export function* listSubtreeInSteps(node: StreamNode): Steps<StreamNode[]> {
  const nodes = [node]
  for (const at of nodes)
    for (const child of at.children) {
      nodes.push(child)
      if (nodes.length % stepNodes === 0) yield
    }
  return nodes
}

const stepNodes = 1000

/** Returns whether a stream has more than `limit` descendants. Takes time proportional to `limit` at most. */
export function hasMoreBelow(node: StreamNode, limit: number): boolean {
  const nodes = [node]
  for (const at of nodes)
    for (const child of at.children) {
      if (nodes.length > limit) return true
      nodes.push(child)
    }
  return false
}

/** Returns whether a stream or one of its ancestors is in the trash. */
export function isTrashed(node: StreamNode): boolean {
  for (const at of iterateAncestors(node)) if (at.stream.trashed) return true
  return false
}

const trashCache = new WeakMap<
  StreamRepository,
  { readonly version: number; readonly isTrashed: Map<StreamNode, boolean> }
>()

/** Does the same as {@link isTrashed}, and keeps the results for this version of the tree: an event may be in thousands of deep streams. */
export function isTrashedCached(streams: StreamRepository, node: StreamNode): boolean {
  let known = trashCache.get(streams)
  if (known?.version !== streams.version)
    trashCache.set(streams, (known = { version: streams.version, isTrashed: new Map() }))
  const found = known.isTrashed.get(node)
  if (found !== undefined) return found
  const below: StreamNode[] = []
  let result = false
  for (const at of iterateAncestors(node)) {
    const before = known.isTrashed.get(at)
    if (before === undefined) below.push(at)
    result = before ?? at.stream.trashed === true
    if (result || before !== undefined) break
  }
  for (const at of below) known.isTrashed.set(at, result)
  return result
}

/** Returns whether `node` is `other` or lies below it. */
export function isWithin(node: StreamNode, other: StreamNode): boolean {
  for (const at of iterateAncestors(node)) if (at === other) return true
  return false
}

/** Returns the depth of a stream: 1 for a root, 2 for its children, … */
export function getDepth(node: StreamNode): number {
  let count = 0
  for (const _ of iterateAncestors(node)) count++
  return count
}

/** Returns the number of levels from a stream to its deepest descendant: 1 without children. */
export function getHeight(node: StreamNode): number {
  let count = 0
  for (let level = [node]; level.length > 0; level = level.flatMap(at => [...at.children])) count++
  return count
}

interface Order {
  readonly version: number
  readonly children: Map<StreamNode | undefined, readonly StreamNode[]>
}

const orderCache = new WeakMap<StreamRepository, Order>()

/** Returns the children of a stream, or the roots, by name: accents and case do not matter unless all else is equal. */
export function getSortedChildren(
  streams: StreamRepository,
  parent: StreamNode | undefined
): readonly StreamNode[] {
  let order = orderCache.get(streams)
  if (order?.version !== streams.version)
    orderCache.set(streams, (order = { version: streams.version, children: new Map() }))
  let children = order.children.get(parent)
  if (!children)
    order.children.set(parent, (children = sortByName(parent ? [...parent.children] : streams.roots())))
  return children
}

/** Number of characters at the beginning of a name that streams are sorted by. (docs/spec/streams.md#reading-the-tree) */
const sortLength = 200

/**
 * Sorts streams by the beginnings of their names, the same way on every machine; streams of the service come last.
 * (docs/spec/streams.md#reading-the-tree)
 */
export function sortByName(nodes: Iterable<StreamNode>): StreamNode[] {
  return [...nodes].toSorted(
    (a, b) =>
      getRank(a) - getRank(b) ||
      compareText(getSortKey(a), getSortKey(b)) ||
      compareText(getSortedPart(a), getSortedPart(b)) ||
      compareText(a.stream.id, b.stream.id)
  )
}

const ranks = { other: 1, account: 2, mark: 3 } as const

function getRank({ system }: StreamNode): number {
  return system ? ranks[system.kind] : 0
}

const sortKeys = new WeakMap<object, string>()

function getSortKey({ stream }: StreamNode): string {
  let key = sortKeys.get(stream)
  if (key === undefined) {
    const part = getSortedPart({ stream })
    key = ascii.test(part) ? part.toLowerCase() : foldText(part)
    sortKeys.set(stream, key)
  }
  return key
}

function getSortedPart({ stream }: Pick<StreamNode, 'stream'>): string {
  return stream.name.slice(0, sortLength)
}

const ascii = /^[\0-\x7f]*$/

/** Cached characters: folding is most of the time of sorting. */
const foldCache = new Map<string, string>()
const maxFoldCache = 20_000

/** Returns a text without accents and case. */
function foldText(text: string): string {
  let plain = ''
  for (const character of text) plain += foldCharacter(character)
  return plain
}

/** Returns a character without accents and case; an empty text for an accent. */
function foldCharacter(character: string): string {
  let plain = foldCache.get(character)
  if (plain === undefined) {
    plain = character.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase().replace('ς', 'σ')
    if (foldCache.size >= maxFoldCache) foldCache.clear()
    foldCache.set(character, plain)
  }
  return plain
}

function compareText(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}
