/** The tree of streams, by id. */
import type { Stream } from './model.js'

export interface Tree {
  /** Streams without a visible parent. System streams, such as account fields, are excluded. */
  readonly roots: readonly Stream[]
  /** Returns a stream; undefined for unknown, invisible and system streams. */
  find(id: string): Stream | undefined
  /** Returns the path of a stream, from the root to the stream itself. */
  getPath(id: string): readonly Stream[]
  /** Returns the ids of a stream and of all streams below it. */
  listSubtreeIds(id: string): readonly string[]
  /** All streams, depth first. */
  readonly all: readonly Stream[]
}

/** Builds a tree from the result of `streams.get`, without the service's own roots. */
export function buildTree(streams: readonly Stream[]): Tree {
  const roots = streams.filter(({ id }) => !id.startsWith(':'))
  const all = roots.flatMap(flatten)
  const byId = new Map(all.map(stream => [stream.id, stream]))
  const getPath = (id: string): Stream[] => {
    const stream = byId.get(id)
    if (!stream) return []
    return stream.parentId === null ? [stream] : [...getPath(stream.parentId), stream]
  }
  return {
    roots,
    all,
    find: id => byId.get(id),
    getPath,
    listSubtreeIds: id => {
      const stream = byId.get(id)
      return stream ? flatten(stream).map(each => each.id) : []
    }
  }
}

function flatten(stream: Stream): Stream[] {
  return [stream, ...stream.children.flatMap(flatten)]
}
