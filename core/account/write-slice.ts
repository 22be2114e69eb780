/** Conflicts between followed slices. (docs/spec/accounts.md#followed-slices) */
import type { FollowedSlice } from '../../schemas/followed-slice.js'
import { UniqueViolation } from '../../storage/errors.js'
import { fail } from '../errors.js'

/** Runs a write of a slice. Throws `item-already-exists` for a name, or a pair of URL and token, that is taken. */
export function writeSlice({ accessToken, name, url }: FollowedSlice, write: () => void): void {
  try {
    write()
  } catch (error) {
    if (!(error instanceof UniqueViolation)) throw error
    if (error.field === 'followed_slice.name')
      fail('item-already-exists', 'A followed slice with this name already exists', { name })
    fail('item-already-exists', 'This slice is already followed', { url, accessToken })
  }
}
