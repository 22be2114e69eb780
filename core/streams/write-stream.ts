/** Conflicts between streams: ids and names in use. (docs/spec/streams.md#creating) */
import type { Stream } from '../../schemas/stream.js'
import { UniqueViolation } from '../../storage/errors.js'
import type { StreamRepository } from '../../storage/repositories/streams.js'
import { fail } from '../errors.js'
import { createId } from '../ids.js'
import type { StreamNode } from '../../storage/streams/node.js'

/**
 * Runs a write of a stream. Throws `item-already-exists` for an id or name in use; the error's data names both.
 * `before`: the stream as it was, for an update.
 */
export function writeStream<T>(
  streams: StreamRepository,
  { id, name, parentId }: Pick<Stream, 'id' | 'name' | 'parentId'>,
  write: () => T,
  before?: StreamNode
): T {
  try {
    return write()
  } catch (error) {
    if (!(error instanceof UniqueViolation)) throw error
    const isTaken = !before && streams.find(id) !== undefined
    const data = { ...(isTaken && { id }), ...(hasNamesake(streams, { name, parentId }, before) && { name }) }
    const what = isTaken ? `A stream with id "${id}"` : `A sibling stream named "${name}"`
    return fail('item-already-exists', `${what} already exists`, data)
  }
}

/** Returns whether a sibling of a stream has its name. `before`: the stream as it was, for an update. */
export function hasNamesake(
  streams: StreamRepository,
  { name, parentId }: Pick<Stream, 'name' | 'parentId'>,
  before?: StreamNode
): boolean {
  const siblings = parentId === null ? streams.roots() : [...(streams.find(parentId)?.children ?? [])]
  return siblings.some(node => node !== before && !node.system && node.stream.name === name)
}

/** Writes a stream under the first of the names that no sibling has, or else under a unique name. */
export function writeWithFreeName(
  id: string,
  names: readonly string[],
  write: (name: string) => StreamNode
): StreamNode {
  for (const name of names) {
    try {
      return write(name)
    } catch (error) {
      if (!(error instanceof UniqueViolation) || error.field !== 'stream.parentId') throw error
    }
  }
  return write(`${id} ${createId()}`)
}
