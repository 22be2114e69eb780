/** Which streams move when what a connection has brought moves to another stream. */
import type { Stream } from '../data/model.js'
import type { Tree } from '../data/tree.js'
import type { Arrived } from './arrived.js'
import type { Connection } from './connections.js'

/** Maximum number of streams that are moved at a time. */
const maxStreams = 200

/**
 * Lists the streams that hold what a connection has brought and nothing else: the highest ones, so that names stay together. Those
 * that are directly below `parentId` already are skipped, so that an interrupted move goes on where it ended.
 */
export function listMovable(
  tree: Tree,
  connection: Connection,
  arrived: readonly Arrived[],
  parentId: string | null | undefined
): readonly Stream[] {
  const brought = new Set(arrived.map(({ streamId }) => streamId))
  const isOwn = (id: string): boolean =>
    brought.has(id) || tree.find(id)?.createdBy.startsWith(connection.accessId) === true
  const found = new Map<string, Stream>()
  for (const id of brought) {
    const path = tree.getPath(id)
    const top = path.findIndex(stream => stream.id === connection.streamId)
    const movable = path
      .slice(top + 1)
      .find(stream => stream.id === id || tree.listSubtreeIds(stream.id).every(isOwn))
    // What the user has moved already stays, unless it is to move again.
    if (movable && movable.parentId !== parentId && (top >= 0 || movable.id === id))
      found.set(movable.id, movable)
    if (found.size >= maxStreams) break
  }
  return [...found.values()]
}

/**
 * Returns a name that no stream below a parent has: that of the stream if it is free, otherwise that of its
 * former parent with its own, and a number if needed.
 */
export function findFreeName(tree: Tree, stream: Stream, parentId: string | null): string {
  const siblings = parentId === null ? tree.roots : (tree.find(parentId)?.children ?? [])
  const taken = new Set(siblings.filter(({ id }) => id !== stream.id).map(({ name }) => name))
  if (!taken.has(stream.name)) return stream.name
  const former = stream.parentId === null ? undefined : tree.find(stream.parentId)
  const base = former ? `${former.name} (${stream.name})`.slice(0, 90) : stream.name.slice(0, 90)
  let name = base
  for (let number = 2; taken.has(name); number++) name = `${base} ${number}`
  return name
}
