/** Picks, of all methods, those by which imports write. */
import type { AnyMethod, UserMethod } from '../../core/call/method.js'
import type { Writers } from '../../core/imports/present.js'

/** The methods by which imports write. */
export function writersOf(definitions: readonly AnyMethod[]): Writers {
  const find = (id: string): UserMethod => definitions.find(each => each.id === id) as UserMethod
  return {
    createEvent: find('events.create'),
    createStream: find('streams.create'),
    deleteStream: find('streams.delete')
  }
}
