/**
 * Recognises records that an app has already sent live. Their events have other ids, since they were derived from another
 * duration or an earlier content.
 */
import { isDeepStrictEqual } from 'node:util'
import type { EventDraft } from '../../imports/protocol.js'
import type { UserStore } from '../../storage/user/user-store.js'

/** Returns whether a record is stored, or was deleted by the user, as what an app has sent; `undefined` if neither. */
export function findReceived(
  { events, history, received }: UserStore,
  { content, itemId }: EventDraft
): 'known' | 'deleted' | undefined {
  const id = received.findItem(itemId)
  if (id === undefined) return undefined
  const event = events.find(id)
  if (event) return isDeepStrictEqual(event.content, content) ? 'known' : undefined
  return history.findDeletion(id) ? 'deleted' : undefined
}
