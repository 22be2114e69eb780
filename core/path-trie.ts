/** Paths of streams, each stored once, however many items are in its stream. */
import type { Path } from './changed-item.js'

interface PathNode {
  path: Path | undefined
  readonly number: number
  children: Map<string, PathNode> | undefined
}

/** A stored path, and its number. */
interface StoredPath {
  readonly path: Path
  readonly number: number
}

export class PathTrie {
  readonly #root: PathNode = { path: undefined, number: 0, children: undefined }
  #nodeCount = 0
  /** Number of stream ids in the stored paths. */
  size = 0

  /** Returns the stored copy of a path, and its number: equal paths are stored once. */
  store(path: Path): StoredPath {
    let kept = this.#root
    // Level by level from the root: whole paths as keys may be a hundred times as long.
    for (let at = path.length - 1; at >= 0; at--) {
      const children: Map<string, PathNode> = (kept.children ??= new Map())
      const id = path[at]!
      let next = children.get(id)
      if (!next)
        children.set(id, (next = { path: undefined, number: ++this.#nodeCount, children: undefined }))
      kept = next
    }
    if (!kept.path) {
      kept.path = path
      this.size += path.length
    }
    return kept as StoredPath
  }
}
