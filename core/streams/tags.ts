/**
 * Tags, deprecated but supported: each is stored as a stream whose id is a prefix and the tag, so that the rules of
 * streams apply to tags. An event's `tags` are derived from its stream ids.
 */
import type { Event } from '../../schemas/event.js'
import type { Stream } from '../../schemas/stream.js'
import type { Steps } from '../../storage/steps.js'
import type { StreamsCriteria } from '../../storage/event-query/query.js'
import { addStream, insertStream } from './ended-permissions.js'
import { assertNotInTrash } from './require-streams.js'
import { fail } from '../errors.js'
import type { Call } from '../call/method.js'
import { isTrashed, listSubtree } from './tree.js'
import { refuseParams } from '../validation/params.js'
import { writeWithFreeName } from './write-stream.js'
import type { Services } from '../call/services.js'
import { getCreatorId } from '../permissions/access.js'
import type { StreamNode } from '../../storage/streams/node.js'

/** Returns whether a stream stands for a tag; false for all if tags are switched off. */
export function isTagStreamId(services: Services, streamId: string): boolean {
  return getTag(services, streamId) !== undefined
}

/** Returns the event with the tags derived from its streams; without tags if these are switched off. */
export function addTags(services: Services, { tags: _former, ...event }: Event): Event {
  return { ...event, ...getTags(services, event.streamIds) }
}

/** Returns the `tags` of an event in these streams; nothing if tags are switched off. */
export function getTags(services: Services, streamIds: readonly string[]): Pick<Event, 'tags'> {
  if (!getTagSettings(services).isActive) return {}
  const tags: string[] = []
  for (const id of streamIds) {
    const tag = getTag(services, id)
    if (tag !== undefined) tags.push(tag)
  }
  return { tags }
}

/**
 * Returns the ids of the streams of tags, none for no tags. Callers who may write an event may tag it: missing
 * streams are created, those that apps have moved or trashed are put back, and only a level of `none` on its
 * stream forbids a tag. `before`: streams in which the event is already, even if they are in the trash.
 * Errors: `forbidden`, `invalid-operation`, `invalid-parameters-format` if tags are switched off. Throws `NeedsSteps` like
 * {@link insertStream}.
 */
export function* provideTagStreams(
  call: Call,
  tags: readonly string[] | null | undefined,
  before: readonly string[] = []
): Steps<string[]> {
  const wanted = normalizeTags(tags)
  if (wanted.length === 0) return []
  assertTagsEnabled(call.services)
  const ids: string[] = []
  for (const tag of wanted) {
    const id = getTagSettings(call.services).streamIdPrefix + tag
    const joined = before.includes(id) ? [] : [yield* ensureTagStream(call, id)]
    if (call.caller.level(id) === 'none') fail('forbidden')
    assertNotInTrash(joined)
    ids.push(id)
  }
  return ids
}

/**
 * Returns the streams that have to exist for an event in these streams. The streams of its own tags need not exist:
 * they are created with the event. An event copied from another account names both tags and their streams.
 */
export function omitOwnTags(
  { services, store }: Call,
  named: readonly string[],
  tags: readonly string[] | null | undefined
): readonly string[] {
  const wanted = normalizeTags(tags)
  if (wanted.length === 0 || !getTagSettings(services).isActive) return named
  const created = new Set(wanted.map(tag => getTagSettings(services).streamIdPrefix + tag))
  const others = named.filter(id => !created.has(id) || store.streams.find(id))
  // An event needs a stream besides its tags: otherwise no permission would be checked.
  return others.length > 0 ? others : named
}

/**
 * Creates a tag stream, or the root of tag streams, for an access that names it, or moves it back to its
 * place. Error: `invalid-item-id` if the id is not the id of a tag; `NeedsSteps` like {@link provideTagStreams}.
 */
export function* provideTagStream(call: Call, id: string): Steps<void> {
  if (id === getTagSettings(call.services).rootStreamId) yield* ensureTagRoot(call)
  else if (getTag(call.services, id) === undefined)
    fail('invalid-item-id', `The ID "${id}" does not belong to a tag`)
  else yield* ensureTagStream(call, id)
}

/**
 * Creates a tag stream, or the root of tag streams, for the account's owner who restores a backup. Returns `undefined`
 * for other callers, and for any other parent. Error: `item-already-exists`; `NeedsSteps` like {@link provideTagStreams}.
 */
export function* restoreTagStream(
  call: Call,
  id: string,
  parentId: string | null
): Steps<Stream | undefined> {
  const { caller, services, store } = call
  const { rootStreamId } = getTagSettings(services)
  const isOwnPlace = parentId === (id === rootStreamId ? null : rootStreamId)
  if (!caller.isPersonal || !store.streams.isTagId(id) || !isOwnPlace) return undefined
  if (store.streams.find(id))
    fail('item-already-exists', `A stream with the ID "${id}" already exists`, { id })
  yield* provideTagStream(call, id)
  return store.streams.find(id)?.stream
}

/**
 * Narrows a scope to events with one of these tags; returns it unchanged if `tags` is empty. If no tag has a
 * stream, nothing matches. Throws `invalid-parameters-format` if tags are switched off.
 */
export function restrictToTags(
  { services, store }: Call,
  scope: Scope,
  tags: readonly string[] | undefined
): Scope {
  const wanted = normalizeTags(tags)
  if (wanted.length === 0) return scope
  assertTagsEnabled(services)
  const { streamIdPrefix } = getTagSettings(services)
  const numbers = new Set(wanted.flatMap(tag => store.streams.find(streamIdPrefix + tag)?.number ?? []))
  if (numbers.size === 0) return []
  const criteria: readonly StreamsCriteria[] = scope ?? [{ all: [], not: new Set() }]
  return criteria.map(one => ({ ...one, all: [...one.all, numbers] }))
}

function getTagSettings({ config }: Services): Services['config']['backwardCompatibility']['tags'] {
  return config.backwardCompatibility.tags
}

function assertTagsEnabled(services: Services): void {
  if (getTagSettings(services).isActive) return
  refuseParams([{ code: 'OBJECT_ADDITIONAL_PROPERTIES', message: 'Tags are turned off', path: '#/tags' }])
}

function getTag(services: Services, streamId: string): string | undefined {
  const { isActive, streamIdPrefix } = getTagSettings(services)
  if (!isActive || !streamId.startsWith(streamIdPrefix)) return undefined
  return streamId.slice(streamIdPrefix.length) || undefined
}

/** Trims tags, and removes duplicates and empty tags. */
function normalizeTags(tags: readonly string[] | null | undefined): string[] {
  if (!tags || tags.length === 0) return []
  return [...new Set(tags.map(tag => tag.trim()).filter(tag => tag !== ''))]
}

/** Returns the stream of a tag, created if missing, and moved back unless the owner has moved it. */
function* ensureTagStream(call: Call, id: string): Steps<StreamNode> {
  const { services, store } = call
  const node = store.streams.find(id)
  if (!node)
    return yield* createStream(call, id, listNames(services, id), (yield* ensureTagRoot(call)).stream.id)
  const isInPlace = node.parent?.stream.id === getTagSettings(services).rootStreamId
  if (isInPlace) yield* ensureTagRoot(call)
  if (isInPlace && !node.stream.trashed) return node
  // A tag stream stays trashed if the owner has trashed it, but not if only an ancestor is trashed.
  const isIntended = node.stream.trashed === true || !isTrashed(node)
  return isIntended && wasChangedByOwner(call, node.stream)
    ? node
    : restorePlace(call, node, (yield* ensureTagRoot(call)).stream.id)
}

/** Returns the root of tag streams, created if missing, and restored if it was moved or trashed. */
function* ensureTagRoot(call: Call): Steps<StreamNode> {
  const { rootStreamId: id } = getTagSettings(call.services)
  const node = call.store.streams.find(id)
  if (!node) return yield* createStream(call, id, listNames(call.services, id), null)
  return node.parent || node.stream.trashed ? restorePlace(call, node, null) : node
}

/**
 * Returns whether the service or the owner changed a stream last: in earlier versions apps could take over tag streams.
 */
function wasChangedByOwner({ store }: Call, { createdBy, modifiedBy }: Stream): boolean {
  if (createdBy === 'system' && modifiedBy === 'system') return true
  const by = getCreatorId({ createdBy: modifiedBy })
  return by === 'system' || store.accesses.findEver(by)?.type === 'personal'
}

/** Returns names to try for a tag stream, in order. */
function listNames(services: Services, id: string): string[] {
  return [getTag(services, id) ?? id, id]
}

function* createStream(
  call: Call,
  id: string,
  names: readonly string[],
  parentId: string | null
): Steps<StreamNode> {
  const { changes, now, store } = call
  const at = store.stamp(now)
  const by = { created: at, createdBy: 'system', modified: at, modifiedBy: 'system' }
  const add = (): StreamNode =>
    writeWithFreeName(id, names, name => addStream(call, { id, name, parentId, ...by }))
  const node = yield* insertStream(call, { id }, add)
  changes.add('streams', [id])
  return node
}

/** Moves a stream to its place, out of the trash, and renames it if a sibling has its name. */
function restorePlace(call: Call, { stream }: StreamNode, parentId: string | null): StreamNode {
  const { changes, services, now, store } = call
  const { trashed: _, ...rest } = stream
  const { id } = stream
  const announce = (node: StreamNode): void => {
    for (const each of listSubtree(node)) changes.add('streams', [each.stream.id])
  }
  announce(store.streams.find(id)!)
  const node = writeWithFreeName(id, [stream.name, ...listNames(services, id)], name =>
    store.streams.update({ ...rest, name, parentId, modified: store.stamp(now), modifiedBy: 'system' })
  )
  announce(node)
  return node
}

/** Criteria of which one has to hold; `undefined`: all events; an empty list: no events. */
export type Scope = readonly StreamsCriteria[] | undefined
