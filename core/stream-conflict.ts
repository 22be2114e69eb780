/** What a stream has in common with another although it must not. (service.md, Streams) */
import type { Stream } from '../schemas/stream.js'
import { UniqueViolation } from '../storage/errors.js'
import { fail } from './errors.js'

/** Runs a write of a stream; an id or a name that is taken becomes `item-already-exists`. */
export function orConflict<T>({ id, name }: Pick<Stream, 'id' | 'name'>, write: () => T): T {
  try {
    return write()
  } catch (error) {
    if (!(error instanceof UniqueViolation)) throw error
    if (error.field === 'stream.id')
      return fail('item-already-exists', `A stream with id "${id}" already exists`, { id })
    return fail('item-already-exists', `A sibling stream named "${name}" already exists`, { name })
  }
}
