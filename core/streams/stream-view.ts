/** The tree of streams as a caller sees it, as JSON text assembled from that of each stream. */
import type { Access } from '../../schemas/access.js'
import type { Stream } from '../../schemas/stream.js'
import type { UserStore } from '../../storage/user/user-store.js'
import type { Caller } from '../permissions/caller.js'
import { JsonText, type Page, type TextListing } from '../json/json-text.js'
import { measureKey } from '../../schemas/measures/measure.js'
import { createMarkFinder, findMarkAbove } from './marks.js'
import { sortByName, getSortedChildren, isTrashed } from './tree.js'
import { ReaderVersion, type Reader } from '../call/reader.js'
import type { StreamNode } from '../../storage/streams/node.js'

/** Maximum number of characters of a tree that is sent at once, and of the chunks of a larger tree. */
const chunkSize = 256 * 1024

/**
 * Returns a stream as a caller sees it, without its children: callers that may not list the parent do not get its id
 * either, but the mark of the measure that applies to the stream.
 */
export function toPublicStream(caller: Caller, node: StreamNode, findMark = createMarkFinder()): Stream {
  const { parent, stream } = node
  if (!parent || caller.mayAt('list', parent)) return stream
  const mark = findMarkAbove(node, parent, findMark)
  const clientData = mark === undefined ? stream.clientData : { ...stream.clientData, [measureKey]: mark }
  return { ...stream, parentId: null, ...(clientData && { clientData }) }
}

/** A tree as it was last sent to an access. */
interface CachedTree {
  readonly version: ReaderVersion
  readonly hasTrashed: boolean
  readonly tree: JsonText
}

/** Maximum number of characters of a cached tree, and of the whole cache, which is cleared beyond that. */
const maxCachedSize = 64 * 1024
const maxCacheSize = 8 * 1024 * 1024

let treeCache = new WeakMap<Access, CachedTree>()
let cachedCharacters = 0

/** Returns the tree that an access was last sent, if the tree would be the same now. */
function getCachedTree(access: Access, reader: Reader, hasTrashed: boolean): JsonText | undefined {
  const last = treeCache.get(access)
  if (!last || last.hasTrashed !== hasTrashed) return undefined
  if (!last.version.hasChanged(reader)) return last.tree
  treeCache.delete(access)
  return undefined
}

function cacheTree(access: Access, reader: Reader, hasTrashed: boolean, tree: JsonText): void {
  cachedCharacters += tree.text.length
  if (cachedCharacters > maxCacheSize) {
    treeCache = new WeakMap()
    cachedCharacters = tree.text.length
  }
  treeCache.set(access, { version: new ReaderVersion(reader), hasTrashed, tree })
}

/**
 * The part of the tree of streams that a caller gets: the streams that it may list, without trashed streams unless
 * requested.
 */
export class StreamView {
  /** Thousands of streams may be below the same hidden ones. */
  readonly #findMark = createMarkFinder()

  constructor(
    private readonly store: UserStore,
    private readonly caller: Caller,
    private readonly hasTrashed: boolean
  ) {}

  /**
   * Returns the topmost streams that may be listed, by name, with all streams below them. A small tree is
   * cached for the access.
   */
  roots(): JsonText | TextListing<Reader> {
    const { access } = this.caller
    const known = access && getCachedTree(access, this.#reader, this.hasTrashed)
    if (known) return known
    const tree = this.#writeTrees(this.caller.may('list', '*') ? this.#listRoots() : this.#listGrantedRoots())
    if (!access || !(tree instanceof JsonText) || tree.text.length > maxCachedSize) return tree
    const { text } = tree
    // Measuring the text joins its parts, once.
    const whole = new JsonText(text, Buffer.byteLength(text) - text.length)
    cacheTree(access, this.#reader, this.hasTrashed, whole)
    return whole
  }

  /**
   * Returns the children of a stream, by name, with all below them; none if it is in the trash and trashed
   * streams are not requested.
   */
  below(parent: StreamNode): JsonText | TextListing<Reader> {
    return this.#writeTrees(this.#isInTrash(parent) ? [] : this.children(parent))
  }

  /** Returns the view for a reader that continues later. */
  withReader({ caller, store }: Reader): StreamView {
    return new StreamView(store, caller, this.hasTrashed)
  }

  /** Returns the children of a stream that the view holds, sorted. */
  children(parent: StreamNode): readonly StreamNode[] {
    const children = getSortedChildren(this.store.streams, parent)
    const isAll = this.caller.isPersonal && this.hasTrashed && !parent.system
    return isAll ? children : children.filter(node => this.#isShown(node))
  }

  /**
   * Returns the current node of a stream from an earlier version of the tree; `undefined` unless it may still
   * be listed in the same place.
   */
  findCurrent(node: StreamNode, parent: StreamNode | undefined): StreamNode | undefined {
    const current = this.store.streams.findByNumber(node.number)
    const isThere = current && (!parent || current.parent?.number === parent.number)
    return isThere && this.#isShown(current) && !this.#isInTrash(current) ? current : undefined
  }

  /** Returns a stream's text up to its children. */
  formatOpening(node: StreamNode, isTop: boolean, present?: TextTransform): string {
    const shown = isTop ? toPublicStream(this.caller, node, this.#findMark) : node.stream
    const own = shown === node.stream ? node.text : JSON.stringify(shown)
    return `${(present?.(own) ?? own).slice(0, -1)},"children":[`
  }

  /** Returns the roots, and streams that may be listed while their parent may not, shown like roots. */
  #listRoots(): readonly StreamNode[] {
    const roots = getSortedChildren(this.store.streams, undefined)
    if (this.caller.names.size <= 1) return roots.filter(node => this.#isShown(node))
    return sortByName(new Set([...roots.filter(node => this.#isShown(node)), ...this.#listGrantedRoots()]))
  }

  /** Returns streams that may be listed while their parent may not. */
  #listGrantedRoots(): readonly StreamNode[] {
    const nodes: StreamNode[] = []
    for (const id of this.caller.names) {
      const node = this.store.streams.find(id)
      if (!node || !this.#isShown(node) || this.#isInTrash(node)) continue
      if (!node.parent || !this.caller.mayAt('list', node.parent)) nodes.push(node)
    }
    return sortByName(nodes)
  }

  #isShown(node: StreamNode): boolean {
    return (this.hasTrashed || !node.stream.trashed) && this.caller.mayAt('list', node)
  }

  #isInTrash(node: StreamNode): boolean {
    return !this.hasTrashed && isTrashed(node)
  }

  #writeTrees(nodes: readonly StreamNode[]): JsonText | TextListing<Reader> {
    const walk = new TreeWalk(nodes)
    const text = walk.write(this)
    return walk.isDone ? new JsonText(text) : new StreamListing(this, nodes, this.#reader)
  }

  get #reader(): Reader {
    return { store: this.store, caller: this.caller }
  }
}

/** Transforms the text of a stream before it is sent. */
type TextTransform = (text: string) => string

/** A large tree, chunk by chunk. */
class StreamListing implements TextListing<Reader> {
  readonly isText = true
  present: TextTransform | undefined
  readonly #walk: TreeWalk
  readonly #version: ReaderVersion

  constructor(
    private readonly view: StreamView,
    nodes: readonly StreamNode[],
    reader: Reader
  ) {
    this.#walk = new TreeWalk(nodes)
    this.#version = new ReaderVersion(reader)
  }

  next(reader: Reader): Page {
    if (this.#version.hasChanged(reader)) this.#walk.isStale = true
    const text = this.#walk.write(this.view.withReader(reader), this.present)
    return { text, count: 0, done: this.#walk.isDone }
  }
}

interface Level {
  /** The parent of these streams; absent at the top. */
  readonly parent: StreamNode | undefined
  readonly nodes: readonly StreamNode[]
  next: number
  isBegun: boolean
}

/** Walks a tree without recursion, since it may be deep. */
class TreeWalk {
  readonly #open: Level[]
  #hasBegun = false
  /** Whether the tree or the permissions have changed since the start: the remaining streams are then looked up again. */
  isStale = false

  constructor(nodes: readonly StreamNode[]) {
    this.#open = [{ parent: undefined, nodes, next: 0, isBegun: false }]
  }

  get isDone(): boolean {
    return this.#open.length === 0
  }

  /** Returns the text of the next streams with their children, up to about the size of a chunk. */
  write(view: StreamView, present?: TextTransform): string {
    let text = this.#hasBegun ? '' : '['
    this.#hasBegun = true
    for (let level = this.#open.at(-1); level && text.length < chunkSize; level = this.#open.at(-1)) {
      const known = level.nodes[level.next++]
      if (!known) {
        this.#open.pop()
        text += this.#open.length > 0 ? ']}' : ']'
        continue
      }
      const node = this.isStale ? view.findCurrent(known, level.parent) : known
      if (!node) continue
      if (level.isBegun) text += ','
      level.isBegun = true
      text += view.formatOpening(node, this.#open.length === 1, present)
      if (node.children.size === 0) text += ']}'
      else this.#open.push({ parent: node, nodes: view.children(node), next: 0, isBegun: false })
    }
    return text
  }
}
