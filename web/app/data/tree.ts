/** The tree of streams, by id. */
import type { Stream } from './model.js'

export interface Tree {
  /** Those without a parent in sight. Streams of the service itself, such as account fields, are left out. */
  readonly roots: readonly Stream[]
  find(id: string): Stream | undefined
  /** The streams above a stream, from the root down, and the stream itself. */
  pathOf(id: string): readonly Stream[]
  /** Ids of a stream and of all below it. */
  idsBelow(id: string): readonly string[]
  /** All streams, depth first. */
  readonly all: readonly Stream[]
}

/** Makes a tree of what `streams.get` returns. */
export function treeOf(streams: readonly Stream[]): Tree {
  const roots = streams.filter(({ id }) => !id.startsWith(':'))
  const all = roots.flatMap(flat)
  const byId = new Map(all.map(stream => [stream.id, stream]))
  const pathOf = (id: string): Stream[] => {
    const stream = byId.get(id)
    if (!stream) return []
    return stream.parentId === null ? [stream] : [...pathOf(stream.parentId), stream]
  }
  return {
    roots,
    all,
    find: id => byId.get(id),
    pathOf,
    idsBelow: id => {
      const stream = byId.get(id)
      return stream ? flat(stream).map(each => each.id) : []
    }
  }
}

function flat(stream: Stream): Stream[] {
  return [stream, ...stream.children.flatMap(flat)]
}
