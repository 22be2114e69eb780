/**
 * Tags, deprecated but served: each is kept as a stream whose id is a prefix and the tag, so that whatever holds for
 * streams holds for tags. An event's `tags` are read off its stream ids.
 */
import type { Event } from '../../schemas/event.js'
import type { Stream } from '../../schemas/stream.js'
import { UniqueViolation } from '../../storage/errors.js'
import type { StreamsCriteria } from '../../storage/event-query/query.js'
import { insertStream } from './ended-permissions.js'
import { mustBeLive } from './known.js'
import { fail } from '../errors.js'
import { newId } from '../ids.js'
import type { Call } from '../call/method.js'
import { isTrashed, subtree } from './tree.js'
import { refuseParams } from '../validation/params.js'
import type { Services } from '../call/services.js'
import { creatorOf } from '../permissions/access.js'
import type { StreamNode } from '../../storage/streams/node.js'

/** Whether a stream stands for a tag. */
export function isTagStream(core: Services, streamId: string): boolean {
  return tagOf(core, streamId) !== undefined
}

/** The event with the tags that its streams make; without any where tags are switched off. */
export function tagged(core: Services, { tags: _former, ...event }: Event): Event {
  return { ...event, ...tagsOf(core, event.streamIds) }
}

/** The tags that streams make, as they stand in an event. */
export function tagsOf(core: Services, streamIds: readonly string[]): Pick<Event, 'tags'> {
  if (!settings(core).isActive) return {}
  const tags: string[] = []
  for (const id of streamIds) {
    const tag = tagOf(core, id)
    if (tag !== undefined) tags.push(tag)
  }
  return { tags }
}

/**
 * The ids of the streams of tags. Who may write an event may tag it: the service creates the streams that are missing,
 * and only a level of `none` keeps an event out of one. `before`: streams that the event is in already, which may be in
 * the trash. Errors: `forbidden`, `invalid-operation`, `invalid-parameters-format`.
 */
export function tagStreams(
  call: Call,
  tags: readonly string[] | null | undefined,
  before: readonly string[] = []
): string[] {
  const wanted = trimmed(tags)
  if (wanted.length === 0) return []
  mustBeActive(call.core)
  return wanted.map(tag => {
    const id = settings(call.core).streamIdPrefix + tag
    const joined = before.includes(id) ? [] : [provideTag(call, id)]
    if (call.caller.level(id) === 'none') fail('forbidden')
    mustBeLive(joined)
    return id
  })
}

/**
 * The streams that have to be there for an event that names these: those of its own tags need not, they are created with
 * it. What is read and created again elsewhere names both.
 */
export function besideTags(
  { core, store }: Call,
  named: readonly string[],
  tags: readonly string[] | null | undefined
): readonly string[] {
  const wanted = trimmed(tags)
  if (wanted.length === 0 || !settings(core).isActive) return named
  const made = new Set(wanted.map(tag => settings(core).streamIdPrefix + tag))
  const others = named.filter(id => !made.has(id) || store.streams.find(id))
  // Tags alone are no place for an event: nobody's permission would be asked for.
  return others.length > 0 ? others : named
}

/** Makes a stream of tags, or the one above them, that an access is to name. Error: `invalid-item-id` for what is not a tag. */
export function provideTagStream(call: Call, id: string): void {
  if (id === settings(call.core).rootStreamId) provideRoot(call)
  else if (tagOf(call.core, id) === undefined) fail('invalid-item-id', `The id "${id}" is not a tag's`)
  else provideTag(call, id)
}

/**
 * The stream of a tag, or the one above them, made for the owner of the account, who brings back elsewhere what a backup holds;
 * `undefined` for others, and anywhere but where it belongs. Error: `item-already-exists`.
 */
export function broughtBack(call: Call, id: string, parentId: string | null): Stream | undefined {
  const { caller, core, store } = call
  const { rootStreamId } = settings(core)
  const isAtHome = parentId === (id === rootStreamId ? null : rootStreamId)
  if (!caller.isPersonal || !store.streams.isTagId(id) || !isAtHome) return undefined
  if (store.streams.find(id))
    fail('item-already-exists', `A stream with the id "${id}" already exists`, { id })
  provideTagStream(call, id)
  return store.streams.find(id)?.stream
}

/** A scope narrowed to events with one of these tags; every scope if there are none. */
export function withTags({ core, store }: Call, scope: Scope, tags: readonly string[] | undefined): Scope {
  const wanted = trimmed(tags)
  if (wanted.length === 0) return scope
  mustBeActive(core)
  const { streamIdPrefix } = settings(core)
  const numbers = new Set(wanted.flatMap(tag => store.streams.find(streamIdPrefix + tag)?.number ?? []))
  if (numbers.size === 0) return []
  const criteria: readonly StreamsCriteria[] = scope ?? [{ all: [], not: new Set() }]
  return criteria.map(one => ({ ...one, all: [...one.all, numbers] }))
}

function settings({ config }: Services): Services['config']['backwardCompatibility']['tags'] {
  return config.backwardCompatibility.tags
}

function mustBeActive(core: Services): void {
  if (settings(core).isActive) return
  refuseParams([
    { code: 'OBJECT_ADDITIONAL_PROPERTIES', message: 'Tags are switched off here', path: '#/tags' }
  ])
}

function tagOf(core: Services, streamId: string): string | undefined {
  const { isActive, streamIdPrefix } = settings(core)
  if (!isActive || !streamId.startsWith(streamIdPrefix)) return undefined
  return streamId.slice(streamIdPrefix.length) || undefined
}

/** Trimmed, each once, none empty. */
function trimmed(tags: readonly string[] | null | undefined): string[] {
  if (!tags || tags.length === 0) return []
  return [...new Set(tags.map(tag => tag.trim()).filter(tag => tag !== ''))]
}

/** The stream of a tag, created if it is not there. It is where it belongs, unless its owner has put it elsewhere. */
function provideTag(call: Call, id: string): StreamNode {
  const { core, store } = call
  const node = store.streams.find(id)
  if (!node) return create(call, id, namesOf(core, id), provideRoot(call).stream.id)
  const isHome = node.parent?.stream.id === settings(core).rootStreamId
  if (isHome) provideRoot(call)
  if (isHome && !node.stream.trashed) return node
  // Into the trash goes what its owner has put there, not what lay below that.
  const isMeant = node.stream.trashed === true || !isTrashed(node)
  return isMeant && isByOwner(call, node.stream) ? node : putBack(call, node, provideRoot(call).stream.id)
}

/** The root of the streams of tags: created if it is not there, and brought back from wherever it is. */
function provideRoot(call: Call): StreamNode {
  const { rootStreamId: id } = settings(call.core)
  const node = call.store.streams.find(id)
  if (!node) return create(call, id, namesOf(call.core, id), null)
  return node.parent || node.stream.trashed ? putBack(call, node, null) : node
}

/** Whether the service or the owner has had the last say about a stream: apps could take streams of tags for theirs once. */
function isByOwner({ store }: Call, { createdBy, modifiedBy }: Stream): boolean {
  if (createdBy === 'system' && modifiedBy === 'system') return true
  const by = creatorOf({ createdBy: modifiedBy })
  return by === 'system' || store.accesses.findEver(by)?.type === 'personal'
}

/** Names for a stream of tags, the first that no sibling has to be taken. */
function namesOf(core: Services, id: string): string[] {
  return [tagOf(core, id) ?? id, id]
}

function create(call: Call, id: string, names: readonly string[], parentId: string | null): StreamNode {
  const { changes, now, store } = call
  const at = store.stamp(now)
  const by = { created: at, createdBy: 'system', modified: at, modifiedBy: 'system' }
  const node = writtenAs(id, names, name => insertStream(call, { id, name, parentId, ...by }))
  changes.add('streams', [id])
  return node
}

/** Puts a stream where it belongs, out of the trash. */
function putBack(call: Call, { stream }: StreamNode, parentId: string | null): StreamNode {
  const { changes, core, now, store } = call
  const { trashed: _, ...rest } = stream
  const { id } = stream
  const told = (node: StreamNode): void => {
    for (const each of subtree(node)) changes.add('streams', [each.stream.id])
  }
  told(store.streams.find(id)!)
  const node = writtenAs(id, [stream.name, ...namesOf(core, id)], name =>
    store.streams.update({ ...rest, name, parentId, modified: store.stamp(now), modifiedBy: 'system' })
  )
  told(node)
  return node
}

/** Writes a stream by the first of the names that no sibling has, or by one that surely none has. */
function writtenAs(id: string, names: readonly string[], write: (name: string) => StreamNode): StreamNode {
  for (const name of names) {
    try {
      return write(name)
    } catch (error) {
      if (!(error instanceof UniqueViolation) || error.field !== 'stream.parentId') throw error
    }
  }
  return write(`${id} ${newId()}`)
}

/** Criteria of which one has to hold; `undefined`: all events; an empty list: none. */
export type Scope = readonly StreamsCriteria[] | undefined
