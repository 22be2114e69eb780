/**
 * Recognises records whose events have other ids: an app has already sent them live, with another duration or an earlier content, or
 * they were exported from this account.
 */
import { isDeepStrictEqual } from 'node:util'
import type { EventDraft } from '../../imports/protocol.js'
import type { UserStore } from '../../storage/user/user-store.js'
import type { Call } from '../call/method.js'
import { mayRead } from '../events/event-permissions.js'

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

/** Returns whether a record was exported from an event of this account that the caller may read, and that is unchanged and has its files. */
export function isExported(call: Call, { fileKeys, identity, ...draft }: EventDraft): boolean {
  const event = identity === undefined ? undefined : call.store.events.find(identity)
  if (!event || !mayRead(call, event)) return false
  if (!fileKeys.every(key => event.attachments?.some(({ id }) => id === key))) return false
  return (['type', 'time', 'duration', 'content', 'description'] as const).every(name =>
    isDeepStrictEqual(event[name], draft[name])
  )
}
