/** The tree of streams as a caller sees it, as JSON text put together from that of each stream. */
import type { StreamNode } from '../storage/repositories/streams.js'
import type { UserStore } from '../storage/user-store.js'
import type { Caller } from './caller.js'
import { JsonText } from './json.js'
import { byName, childrenByName, isTrashed } from './stream-tree.js'

/** Which streams of the tree a view holds: those that may be listed, without the trashed ones unless asked for. */
export class StreamView {
  constructor(
    private readonly store: UserStore,
    private readonly caller: Caller,
    private readonly hasTrashed: boolean
  ) {}

  /** The topmost streams that may be listed, by name, with all below them. */
  roots(): JsonText {
    return this.#forest(this.caller.may('list', '*') ? this.#fromRoots() : this.#granted())
  }

  /** The children of a stream, by name, with all below them. */
  below(parent: StreamNode): JsonText {
    return this.#forest(this.#isInTrash(parent) ? [] : this.#children(parent))
  }

  /** The roots, and what may be listed below a stream that may not: it stands there like a root. */
  #fromRoots(): readonly StreamNode[] {
    const roots = childrenByName(this.store.streams, undefined)
    if (this.caller.granted.size <= 1) return roots.filter(node => this.#isShown(node))
    return byName(new Set([...roots.filter(node => this.#isShown(node)), ...this.#granted()]))
  }

  /** Streams granted by name whose parent may not be listed. */
  #granted(): readonly StreamNode[] {
    const nodes: StreamNode[] = []
    for (const id of this.caller.granted.keys()) {
      const node = this.store.streams.find(id)
      if (!node || !this.#isShown(node) || this.#isInTrash(node)) continue
      if (!node.parent || !this.caller.mayAt('list', node.parent)) nodes.push(node)
    }
    return byName(nodes)
  }

  #children(parent: StreamNode): readonly StreamNode[] {
    const children = childrenByName(this.store.streams, parent)
    const isAll = this.caller.isPersonal && this.hasTrashed && !parent.system
    return isAll ? children : children.filter(node => this.#isShown(node))
  }

  #isShown(node: StreamNode): boolean {
    return (this.hasTrashed || !node.stream.trashed) && this.caller.mayAt('list', node)
  }

  #isInTrash(node: StreamNode): boolean {
    return !this.hasTrashed && isTrashed(node)
  }

  /** Text of streams with their children, written without recursion: the tree may be deep. */
  #forest(nodes: readonly StreamNode[]): JsonText {
    const open = [{ nodes, next: 0 }]
    let text = '['
    for (let level = open[0]; level; level = open.at(-1)) {
      const node = level.nodes[level.next++]
      if (!node) {
        open.pop()
        text += open.length > 0 ? ']}' : ']'
        continue
      }
      if (level.next > 1) text += ','
      text += this.#opening(node, open.length === 1)
      if (node.children.size === 0) text += ']}'
      else open.push({ nodes: this.#children(node), next: 0 })
    }
    return new JsonText(text)
  }

  /** A stream's text up to its children. Who may not list the parent is not told its id either. */
  #opening({ parent, stream, text }: StreamNode, isTop: boolean): string {
    const own =
      isTop && parent && !this.caller.mayAt('list', parent)
        ? JSON.stringify({ ...stream, parentId: null })
        : text
    return `${own.slice(0, -1)},"children":[`
  }
}
