/**
 * Messages that become events of the account: a note, or a chat message that is then delivered to a person. They are written in the
 * transaction that records them as delivered, so they are never written twice. (docs/api/channels.md#types)
 */
import type { Access } from '../../schemas/access.js'
import type { DeliveryError } from '../../schemas/channel.js'
import type { StoredChannel } from '../../storage/channels/channel-repository.js'
import type { Call, UserMethod } from '../call/method.js'
import { cmcApps } from '../cmc-ids.js'
import { types } from '../cmc/contents.js'
import { createSlug } from '../cmc/names.js'
import { findRelationship } from '../cmc/relationships.js'
import { runUninterrupted } from '../dispatch/run-write.js'
import { ApiError } from '../errors.js'
import { Caller } from '../permissions/caller.js'
import { isInForce } from '../permissions/effective-grants.js'
import { isTrashed } from '../streams/tree.js'
import type { QueuedMessage } from './queue-message.js'

/** The key in the client data of events that are messages, with the channel and what has caused them. */
export const channelKey = 'coffer:channel'
/** The type of events that are messages. */
export const messageType = 'note/txt'

/** Returns whether a channel's messages become events of the account. */
export function isWithinAccount({ channel }: StoredChannel): boolean {
  return channel.type === 'event' || channel.type === 'person'
}

/**
 * Returns the access as which a channel acts; `undefined` if it has ended. Channels that users have created themselves belong to the
 * account, and outlast their sessions.
 */
export function findActingAccess(
  call: Pick<Call, 'now' | 'store'>,
  { channel }: StoredChannel
): Access | undefined {
  return findAccessInForce(call, channel.accessId)
}

/** Returns an access if it is in force, or if it is the access of a session of the user, even if the session has ended. */
export function findAccessInForce(
  { now, store }: Pick<Call, 'now' | 'store'>,
  accessId: string
): Access | undefined {
  const access = store.accesses.findEver(accessId)
  if (access?.type === 'personal') return access
  return access && access.deleted === undefined && isInForce(store, access, now) ? access : undefined
}

/**
 * Writes a message as an event. Returns why it cannot be written; `undefined` if it has been. Throws errors
 * of the service, which say nothing about the message.
 */
export function writeMessage(
  call: Call,
  createEvent: UserMethod,
  stored: StoredChannel,
  { source, text, title }: QueuedMessage
): DeliveryError | undefined {
  const { target, id } = stored.channel
  const access = findActingAccess(call, stored)
  if (!access) return { id: 'access-ended' }
  const asAccess: Call = { ...call, caller: new Caller(call.store, access) }
  const content = text === '' ? title : `${title}\n\n${text}`
  const clientData = { [channelKey]: { id, source } }
  if (stored.channel.type === 'person') {
    const streamId = findChat(call, target.accessId ?? '')
    if (streamId === undefined) return { id: 'person-gone' }
    return tryToCreate(asAccess, createEvent, {
      streamIds: [streamId],
      type: types.chat,
      content: { content },
      clientData
    })
  }
  const node = call.store.streams.find(target.streamId ?? '')
  if (!node || isTrashed(node)) return { id: 'stream-gone' }
  return tryToCreate(asAccess, createEvent, {
    streamIds: [node.stream.id],
    type: messageType,
    content,
    clientData
  })
}

function tryToCreate(call: Call, createEvent: UserMethod, params: object): DeliveryError | undefined {
  try {
    runUninterrupted(createEvent, call, params)
    return undefined
  } catch (error) {
    if (error instanceof ApiError && error.status < 500) return { id: 'forbidden', status: error.status }
    throw error
  }
}

/** Returns the stream for chat messages to the person who holds an access; `undefined` if they get none. */
function findChat(call: Call, accessId: string): string | undefined {
  const { mark } = findRelationship(call, accessId) ?? {}
  if (!mark || mark.peerGone || !mark.features.chat) return undefined
  const slug = createSlug(mark.counterparty)
  const scope = mark.scopeStreamId || `${cmcApps}:${mark.appCode}`
  const streamId = `${scope}:chats:${slug}`
  return slug !== undefined && call.store.streams.find(streamId) ? streamId : undefined
}
