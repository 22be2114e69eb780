/** Changes, moves, trashes or restores one event. (service.md, Events; supplement 8.4, 26) */
import { Type } from 'typebox'
import { Event } from '../../../schemas/event.js'
import { closed, Identifier } from '../../../schemas/scalars.js'
import { anyAccess } from '../../allow.js'
import { mergedClientData } from '../../client-data.js'
import { fail } from '../../errors.js'
import { EventUpdate, isSeries, namedStreams, trimmedTags, updatable } from '../../event-fields.js'
import { knownStreams, mustBeLive } from '../../event-streams.js'
import { shown } from '../../event-view.js'
import { method, type Call } from '../../method.js'
import { refuseProtected } from '../../protected-fields.js'
import { writableEvent } from '../../writable-event.js'

/** The event as changed. */
export const update = method({
  id: 'events.update',
  params: Type.Object({ id: Identifier, update: EventUpdate }, closed),
  result: Type.Object({ event: Event }),
  mode: 'write',
  allow: anyAccess,
  run(call, { id, update: given }) {
    const { caller, changes, now, store } = call
    const before = writableEvent(call, id)
    const others = Object.keys(given).filter(name => !updatable.has(name))
    refuseProtected(call, others, given)
    const streamIds = movedTo(call, before, given)
    const type = given.type ?? before.type
    const content = contentOf(call, before, given, type)
    mustContributeWhereMoved(call, before.streamIds, streamIds)
    const { duration, description, trashed } = given
    const event: Event = {
      ...before,
      streamIds,
      streamId: streamIds[0]!,
      time: given.time ?? before.time,
      ...(duration !== undefined && { duration }),
      type,
      content,
      ...(description !== undefined && { description: description ?? '' }),
      clientData: mergedClientData(before.clientData, given.clientData) ?? {},
      ...(given.tags !== undefined && { tags: trimmedTags(given.tags) }),
      ...(trashed !== undefined && { trashed: trashed === true }),
      modified: store.stamp(now),
      modifiedBy: caller.signature
    }
    const text = store.events.update(event)
    // Twice: whoever could see it where it was has to hear that it is gone from there.
    changes.add('events', before.streamIds)
    changes.add('events', streamIds)
    return { event: shown(call, text) }
  }
})

/** The streams that the event is in afterwards. It may stay in a trashed one, but join none. */
function movedTo({ store }: Call, before: Event, given: EventUpdate): string[] {
  const ids = namedStreams(given)
  if (!ids) return before.streamIds
  const nodes = knownStreams(store, ids)
  mustBeLive(nodes.filter(({ stream }) => !before.streamIds.includes(stream.id)))
  return ids
}

function contentOf(call: Call, before: Event, given: EventUpdate, type: string): unknown {
  const { content } = given
  if (isSeries(type) !== isSeries(before.type))
    fail('invalid-operation', 'A holder of a series and a normal event cannot become each other')
  if (isSeries(type)) {
    if (type !== before.type) fail('invalid-operation', 'The type of a series cannot change')
    refuseProtected(call, ['content'], given)
    return before.content
  }
  if (content === undefined && type === before.type) return before.content
  return call.core.eventTypes.check(type, content === undefined ? before.content : content)
}

function mustContributeWhereMoved(
  { caller }: Call,
  before: readonly string[],
  after: readonly string[]
): void {
  const added = after.filter(id => !before.includes(id))
  const removed = before.filter(id => !after.includes(id))
  caller.must('contribute', ...added, ...removed)
}
