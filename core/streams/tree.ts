/** Walking the tree of streams: pure functions, none of them recursive. */
import type { StreamRepository } from '../../storage/repositories/streams.js'
import type { Steps } from '../../storage/steps.js'
import type { StreamNode } from '../../storage/streams/node.js'

/** A stream and those above it, up to its root. */
export function* upwards(node: StreamNode): Generator<StreamNode> {
  for (let at: StreamNode | undefined = node; at; at = at.parent) yield at
}

/** A stream and all below it; each comes after the one above it. */
export function subtree(node: StreamNode): StreamNode[] {
  const nodes = [node]
  // The loop also visits the nodes it appends.
  for (const at of nodes) for (const child of at.children) nodes.push(child)
  return nodes
}

/** As {@link subtree}, in steps. */
export function* subtreeInSteps(node: StreamNode): Steps<StreamNode[]> {
  const nodes = [node]
  for (const at of nodes)
    for (const child of at.children) {
      nodes.push(child)
      if (nodes.length % stepNodes === 0) yield
    }
  return nodes
}

const stepNodes = 1000

/** Whether there are more than `limit` streams below a stream. Takes no longer than there are so many. */
export function hasMoreBelow(node: StreamNode, limit: number): boolean {
  const nodes = [node]
  for (const at of nodes)
    for (const child of at.children) {
      if (nodes.length > limit) return true
      nodes.push(child)
    }
  return false
}

/** Whether a stream, or one above it, is in the trash. */
export function isTrashed(node: StreamNode): boolean {
  for (const at of upwards(node)) if (at.stream.trashed) return true
  return false
}

/** Whether `node` is `other` or lies below it. */
export function isWithin(node: StreamNode, other: StreamNode): boolean {
  for (const at of upwards(node)) if (at === other) return true
  return false
}

/** 1 for a root, 2 for its children, … */
export function depth(node: StreamNode): number {
  let count = 0
  for (const _ of upwards(node)) count++
  return count
}

/** Number of levels from a stream to the deepest below it: 1 without children. */
export function height(node: StreamNode): number {
  let count = 0
  for (let level = [node]; level.length > 0; level = level.flatMap(at => [...at.children])) count++
  return count
}

interface Order {
  readonly version: number
  readonly children: Map<StreamNode | undefined, readonly StreamNode[]>
}

const orders = new WeakMap<StreamRepository, Order>()

/** The children of a stream, or the roots, by name: accents and case do not matter unless all else is equal. */
export function childrenByName(
  streams: StreamRepository,
  parent: StreamNode | undefined
): readonly StreamNode[] {
  let order = orders.get(streams)
  if (order?.version !== streams.version)
    orders.set(streams, (order = { version: streams.version, children: new Map() }))
  let children = order.children.get(parent)
  if (!children)
    order.children.set(parent, (children = byName(parent ? [...parent.children] : streams.roots())))
  return children
}

/** Number of characters at the beginning of a name that streams are sorted by. (docs/spec/streams.md#reading-the-tree) */
const sortedLength = 200

/**
 * Sorts streams by the beginnings of their names, the same way on every machine; those of the service come last.
 * (docs/spec/streams.md#reading-the-tree)
 */
export function byName(nodes: Iterable<StreamNode>): StreamNode[] {
  return [...nodes].toSorted(
    (a, b) =>
      rank(a) - rank(b) ||
      compare(sortKey(a), sortKey(b)) ||
      compare(sortedPart(a), sortedPart(b)) ||
      compare(a.stream.id, b.stream.id)
  )
}

const ranks = { other: 1, account: 2, mark: 3 } as const

function rank({ system }: StreamNode): number {
  return system ? ranks[system.kind] : 0
}

const sortKeys = new WeakMap<object, string>()

function sortKey({ stream }: StreamNode): string {
  let key = sortKeys.get(stream)
  if (key === undefined) {
    const part = sortedPart({ stream })
    key = ascii.test(part) ? part.toLowerCase() : foldText(part)
    sortKeys.set(stream, key)
  }
  return key
}

function sortedPart({ stream }: Pick<StreamNode, 'stream'>): string {
  return stream.name.slice(0, sortedLength)
}

const ascii = /^[\0-\x7f]*$/

/** Folded characters: folding each again would take most of the time of sorting. */
const folded = new Map<string, string>()
const maxFolded = 20_000

/** Returns a text without accents and case. */
function foldText(text: string): string {
  let plain = ''
  for (const character of text) plain += fold(character)
  return plain
}

/** Returns a character without accents and case; an empty text for an accent. */
function fold(character: string): string {
  let plain = folded.get(character)
  if (plain === undefined) {
    plain = character.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase().replace('ς', 'σ')
    if (folded.size >= maxFolded) folded.clear()
    folded.set(character, plain)
  }
  return plain
}

function compare(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}
