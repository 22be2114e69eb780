/** The events of a copy. (docs/api/mirrors.md#the-copy) */
import { createHash } from 'node:crypto'
import type { Event } from '../../schemas/event.js'
import type { Mirror } from '../../schemas/mirrors/mirror.js'
import { isZone, zoneKey } from '../../schemas/zones.js'
import type { Call } from '../call/method.js'
import { deriveEventId } from '../cmc/outbox.js'
import type { Steps } from '../../storage/steps.js'
import { ApiError } from '../errors.js'
import { isSeries } from '../events/fields.js'
import { prepareBody } from '../events/writable-event.js'
import { isShallow } from '../json/depth.js'
import { createRemovalWork } from '../streams/removal-work.js'
import { addTags } from '../streams/tags.js'
import { truncateText } from '../truncate-text.js'
import { isObject } from '../validation/is-object.js'
import { keepCopies, listFiles } from './copied-files.js'
import { noteParts } from './copied-parts.js'
import { followedKey, getCopyId } from './copied-streams.js'
import type { PeerEvent } from './peer-answers.js'

/** Limits of the parts of an event. */
const maxStreamIds = 100
const maxDescription = 100_000

const typePattern = /^(?:series:)?[a-z0-9-]+\/[a-z0-9-]+$/

/** What becomes of an event: `skipped` if this service cannot store it. */
export type Applied = 'copied' | 'skipped' | 'unchanged'

/** Returns the id of the copy of an event: the same each time. */
export function getCopiedEventId({ id }: Pick<Mirror, 'id'>, remoteId: string): string {
  return deriveEventId('mirror', id, remoteId)
}

/**
 * Copies an event, or what has changed of it. Events outside the copied streams are not copied; if they were,
 * the copy is erased. `pass`: the comparison that has begun last. One that has not changed is only marked as
 * seen. `addWork` is called before a change of the event; see {@link createRemovalWork}.
 */
export function* applyEvent(
  call: Call,
  mirror: Mirror,
  found: PeerEvent,
  { addWork, pass }: { readonly pass: number; readonly addWork: (id: string) => void }
): Steps<Applied> {
  const { mirrors } = call.store
  const id = getCopiedEventId(mirror, found.id)
  const known = mirrors.findEvent(mirror.id, id)
  const streamIds = listCopies(call, mirror, found.item['streamIds'])
  // Copies made before files were copied are brought up to date.
  const hasFiles = Array.isArray(found.item['attachments']) && found.item['attachments'].length > 0
  const version = createHash('sha256')
    .update(JSON.stringify([found.modified, streamIds, ...(hasFiles ? ['files'] : [])]))
    .digest('base64url')
    .slice(0, 22)
  if (known?.version === version) {
    if (known.pass !== pass) mirrors.putEvent(mirror.id, id, { version, pass })
    return 'unchanged'
  }
  addWork(id)
  // With its points go its files.
  if (known && isOtherSeries(call, { id, type: found.item['type'] })) eraseEvent(call, mirror, id)
  const event = streamIds.length === 0 ? undefined : buildEvent(call, mirror, found, { id, streamIds })
  if (!event) {
    if (known) eraseEvent(call, mirror, id)
    return streamIds.length === 0 ? 'unchanged' : 'skipped'
  }
  const isKnown = known !== undefined
  if (!(yield* writeEvent(call, event, isKnown))) return 'skipped'
  mirrors.putEvent(mirror.id, id, { version, pass })
  noteParts(call, mirror, event)
  return 'copied'
}

/** Returns whether an event has other points than before: not even honest servers change the type of a series. */
function isOtherSeries(
  { store }: Pick<Call, 'store'>,
  { id, type }: { readonly id: string; readonly type: unknown }
): boolean {
  const before = store.series.findHolder(id)?.type ?? type
  return before !== type && [before, type].some(each => typeof each === 'string' && isSeries(each))
}

/** Lists copied events with points that {@link applyEvent} would erase. */
export function listLeaving(
  call: Pick<Call, 'store'>,
  mirror: Mirror,
  events: readonly PeerEvent[]
): string[] {
  return events.flatMap(({ id: remoteId, item: { streamIds, type } }) => {
    const id = getCopiedEventId(mirror, remoteId)
    if (!call.store.series.getEnd(id)) return []
    const isLeaving = listCopies(call, mirror, streamIds).length === 0
    return isLeaving || isOtherSeries(call, { id, type }) ? [id] : []
  })
}

/** Returns the copies of an event's streams, without those that are not copied. */
function listCopies({ store }: Pick<Call, 'store'>, mirror: Mirror, value: unknown): string[] {
  if (!Array.isArray(value)) return []
  const ids = value
    .slice(0, maxStreamIds)
    .flatMap((id: unknown) => (typeof id === 'string' ? [getCopyId(mirror, id)] : []))
  return [...new Set(ids)].filter(id => store.streams.find(id))
}

/**
 * Builds the copy of an event; `undefined` for types and contents that this service cannot store. Members
 * that are too long or wrong are omitted or cut.
 */
function buildEvent(
  { now, services, store }: Call,
  mirror: Mirror,
  { id: remoteId, item, time }: PeerEvent,
  { id, streamIds }: Pick<Event, 'id' | 'streamIds'>
): Event | undefined {
  const { clientData, content, description, duration, trashed, type } = item
  if (typeof type !== 'string' || type.length > 256 || !typePattern.test(type)) return undefined
  const { jsonDepth, jsonKeys } = services.config.limits
  if (!isShallow(content, jsonDepth)) return undefined
  const at = store.stamp(now)
  let checked: unknown
  try {
    checked = services.eventTypes.check(type, isSeries(type) ? undefined : content)
  } catch (error) {
    if (error instanceof ApiError) return undefined
    throw error
  }
  const before = store.events.find(id)
  const files = listFiles(item['attachments'], before)
  const kept = keepCopies(files, before)
  const isKept =
    isObject(clientData) && isShallow(clientData, jsonDepth) && Object.keys(clientData).length <= jsonKeys
  const isTimed = duration === null || (typeof duration === 'number' && duration >= 0 && duration <= 1e12)
  return addTags(services, {
    id,
    streamIds,
    streamId: streamIds[0]!,
    time,
    ...(isTimed && { duration }),
    type,
    content: checked,
    ...(typeof description === 'string' && { description: truncateText(description, maxDescription) }),
    clientData: buildClientData(mirror, remoteId, { files, given: isKept ? clientData : {} }),
    // Also if there are none, so that those there were go.
    ...((kept.length > 0 || before?.attachments) && { attachments: kept }),
    ...(trashed === true && { trashed }),
    created: at,
    createdBy: 'system',
    modified: at,
    modifiedBy: 'system'
  })
}

/** Returns client data without keys that mean something to this service, and with what tells where the event is from. */
function buildClientData(
  { person: { host } }: Mirror,
  remoteId: string,
  { files, given }: { readonly files: readonly object[]; readonly given: Readonly<Record<string, unknown>> }
): Record<string, unknown> {
  const own = Object.entries(given).filter(([key]) => key !== 'cmc' && !key.startsWith('coffer:'))
  const zone = given[zoneKey]
  return {
    ...Object.fromEntries(own),
    ...(isZone(zone) && { [zoneKey]: zone }),
    [followedKey]: {
      id: remoteId,
      host,
      ...(files.length > 0 && { files })
    }
  }
}

/**
 * Writes the copy of an event, without an earlier version. Returns false, and writes nothing, if the id is
 * that of another event of this account.
 */
function* writeEvent(call: Call, event: Event, isKnown: boolean): Steps<boolean> {
  const { changes, store } = call
  const before = store.events.find(event.id)
  if (before && !isKnown) return false
  if (before) {
    changes.addEvent(before)
    const amended = { ...event, created: before.created }
    // The owner keeps earlier versions, the copy does not.
    store.events.amend(amended, yield* prepareBody(call, amended))
  } else {
    store.history.removeDeletion(event.id)
    store.events.insert(event, yield* prepareBody(call, event))
  }
  changes.addEvent(event)
  return true
}

/** Erases events of a copy; those that are none are ignored. Throws `NeedsSteps` if that takes long, unless the store is a draft. */
export function* eraseEvents(call: Call, mirror: Mirror, ids: readonly string[]): Steps<void> {
  const addWork = createRemovalWork(call.store)
  for (const id of ids) {
    if (!call.store.mirrors.findEvent(mirror.id, id)) continue
    addWork(id)
    yield
    eraseEvent(call, mirror, id)
  }
}

/** Erases an event of a copy, with its earlier versions. Does nothing if there is none. */
function eraseEvent({ changes, now, store }: Call, mirror: Mirror, id: string): void {
  store.mirrors.removeEvent(mirror.id, id)
  const event = store.events.find(id)
  if (!event) return
  changes.addEvent(event)
  store.mirrors.overwriteDeleted(() => store.events.erase(id, store.stamp(now)))
}

/** Takes an event out of a stream of a copy that is to be removed; erases it if it is in no other. */
export function leaveStream(call: Call, mirror: Mirror, id: string, streamId: string): void {
  const { changes, now, services, store } = call
  const before = store.events.find(id)
  const streamIds = before?.streamIds.filter(each => each !== streamId) ?? []
  const [first] = streamIds
  if (!before || first === undefined) return eraseEvent(call, mirror, id)
  changes.addEvent(before)
  const event = addTags(services, { ...before, streamIds, streamId: first, modified: store.stamp(now) })
  store.events.amend(event)
  changes.addEvent(event)
}
