/**
 * Tags, deprecated but served: each is kept as a stream whose id is a prefix and the tag, so that whatever holds for
 * streams holds for tags. An event's `tags` are read off its stream ids. (service.md, Event; supplement 8.5)
 */
import type { Event } from '../schemas/event.js'
import type { Stream } from '../schemas/stream.js'
import { UniqueViolation } from '../storage/errors.js'
import type { StreamsCriteria } from '../storage/event-query/query.js'
import type { Scope } from './event-scope.js'
import { mustBeLive } from './event-streams.js'
import { fail } from './errors.js'
import { newId } from './ids.js'
import type { Call, Core } from './method.js'
import { refuseParams } from './validation.js'

/** Whether a stream stands for a tag. */
export function isTagStream(core: Core, streamId: string): boolean {
  return tagOf(core, streamId) !== undefined
}

/** The event with the tags that its streams make; without any where tags are switched off. */
export function tagged(core: Core, { tags: _former, ...event }: Event): Event {
  return { ...event, ...tagsOf(core, event.streamIds) }
}

/** The tags that streams make, as they stand in an event. */
export function tagsOf(core: Core, streamIds: readonly string[]): Pick<Event, 'tags'> {
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
    const node = call.store.streams.find(id)
    if (!node) create(call, id, [tag, id], root(call))
    else if (!before.includes(id)) mustBeLive([node])
    if (call.caller.level(id) === 'none') fail('forbidden')
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

function settings({ config }: Core): Core['config']['backwardCompatibility']['tags'] {
  return config.backwardCompatibility.tags
}

function mustBeActive(core: Core): void {
  if (settings(core).isActive) return
  refuseParams([
    { code: 'OBJECT_ADDITIONAL_PROPERTIES', message: 'Tags are switched off here', path: '#/tags' }
  ])
}

function tagOf(core: Core, streamId: string): string | undefined {
  const { isActive, streamIdPrefix } = settings(core)
  if (!isActive || !streamId.startsWith(streamIdPrefix)) return undefined
  return streamId.slice(streamIdPrefix.length) || undefined
}

/** Trimmed, each once, none empty. */
function trimmed(tags: readonly string[] | null | undefined): string[] {
  if (!tags || tags.length === 0) return []
  return [...new Set(tags.map(tag => tag.trim()).filter(tag => tag !== ''))]
}

/** The id of the root of tag streams, created if it is not there. One in the trash takes no further streams. */
function root(call: Call): string {
  const { rootStreamId } = settings(call.core)
  const node = call.store.streams.find(rootStreamId)
  if (node) mustBeLive([node])
  else create(call, rootStreamId, [rootStreamId], null)
  return rootStreamId
}

/** Creates a stream by the first of the names that no sibling has, or by one that surely none has. */
function create(call: Call, id: string, names: readonly string[], parentId: string | null): void {
  const { changes, now, store } = call
  const at = store.stamp(now)
  const by = { created: at, createdBy: 'system', modified: at, modifiedBy: 'system' }
  for (const name of [...names, `${id} ${newId()}`]) if (insert(call, { id, name, parentId, ...by })) break
  changes.add('streams', [id])
}

/** `false` if a sibling has the name: streams may be renamed and moved, those of tags too. */
function insert({ store }: Call, stream: Stream): boolean {
  try {
    store.streams.insert(stream)
    return true
  } catch (error) {
    if (error instanceof UniqueViolation && error.field === 'stream.parentId') return false
    throw error
  }
}
