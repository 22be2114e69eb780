/** Changes events that a connection has stored earlier: joins, ends and removes them. */
import type { Event } from '../../schemas/event.js'
import { connectionKey, type Connection } from '../../schemas/connection.js'
import type { Steps } from '../../storage/steps.js'
import type { UserStore } from '../../storage/user/user-store.js'
import type { Call } from '../call/method.js'
import { prepareBody } from '../events/writable-event.js'
import { toCanonicalJson } from '../json/canonical.js'
import { listSubtree } from '../streams/tree.js'
import type { IntakeContext, ReceivedRecord, Removal } from './intake-context.js'
import { getStreamPath } from './record-ids.js'

/** Key in the `clientData` of events that a connection has ended after the user had edited them. */
const editedKey = 'coffer:edited'
/** Earliest and latest times of events, in seconds. */
const [minTime, maxTime] = [-1e11, 1e11]

/** Stores a changed event, unless it equals the stored one. */
export function* changeEvent(call: Call, before: Event, event: Event): Steps<void> {
  if (toCanonicalJson(event) === toCanonicalJson(before)) return
  const { caller, changes, now, store } = call
  const changed = { ...event, modified: store.stamp(now), modifiedBy: caller.signature }
  store.events.update(changed, yield* prepareBody(call, changed))
  changes.addEvent(before)
  changes.addEvent(changed)
}

/** Returns true if an event is as a connection or an import has written it. */
export function isUntouched(store: UserStore, { clientData, created, modified, modifiedBy }: Event): boolean {
  return modified === created || (isByConnection(store, modifiedBy) && clientData?.[editedKey] === undefined)
}

/** Returns true if a connection has stored an event, and the user has not edited it. */
function isOwn(store: UserStore, event: Event): boolean {
  return isByConnection(store, event.createdBy) && isUntouched(store, event)
}

/** Returns true if an author, as in `createdBy`, is the access of a connection, also of one that has ended. */
function isByConnection(store: UserStore, author: string): boolean {
  const id = author.split(' ', 1)[0]!
  const access = store.accesses.find(id) ?? store.accesses.findEver(id)
  // Only users create accesses of apps.
  return access?.type === 'app' && access.clientData?.[connectionKey] !== undefined
}

/**
 * Joins a record with the events of its stream, type and description to which it is close: the first grows,
 * the others go to the trash. An ongoing event stays as it is. Returns false if there are none. Events that
 * the user has edited are left alone.
 */
export function* joinEvents(context: IntakeContext, record: ReceivedRecord): Steps<boolean> {
  const { call } = context
  const { description, duration, joinWithin = 0, time } = record
  const end = time + (duration ?? 0)
  const range = { from: time - joinWithin, to: end + joinWithin }
  const near = (yield* findInLane(context, record, range)).filter(
    event => event.description === description && isOwn(call.store, event)
  )
  const [first, ...others] = near.filter(
    event =>
      event.time < range.to && (event.duration === null || event.time + (event.duration ?? 0) > range.from)
  )
  if (!first) return false
  if (first.duration === null) return true
  const from = Math.min(first.time, time)
  const to = Math.max(end, ...[first, ...others].map(event => event.time + (event.duration ?? 0)))
  const clientData = [first, ...others, record].reduce(
    (joined, each) => joinLists(joined, each.clientData),
    first.clientData
  )
  const joined = { ...first, time: from, duration: to - from, ...(clientData && { clientData }) }
  yield* changeEvent(call, first, joined)
  for (const each of others) yield* changeEvent(call, each, { ...each, trashed: true })
  return true
}

/**
 * Ends the last ongoing event that a connection has stored in a record's stream, of its type. One that the user has edited gets a
 * duration and is otherwise left alone, now and later: nothing else would end it. Returns false if none began within `endsOngoing`
 * seconds before.
 */
export function* endOngoing(context: IntakeContext, record: ReceivedRecord): Steps<boolean> {
  const { call } = context
  const { endsOngoing = 0, time } = record
  const found = yield* findInLane(context, record, { from: time - endsOngoing, to: time })
  const ongoing = found.findLast(
    event =>
      event.duration === null &&
      event.time > time - endsOngoing &&
      isByConnection(call.store, event.createdBy)
  )
  if (!ongoing) return false
  const ended = { ...ongoing, duration: time - ongoing.time }
  const isEdited = !isUntouched(call.store, ongoing)
  const marked = { ...ended, clientData: { ...ongoing.clientData, [editedKey]: true } }
  yield* changeEvent(call, ongoing, isEdited ? marked : ended)
  return true
}

/**
 * Moves what a connection has stored of a source, at a time if one is given, to the trash, unless the user
 * has edited it.
 */
export function* removeEvents(call: Call, { streamId }: Connection, { source, time }: Removal): Steps<void> {
  const root = call.store.streams.find(streamId)
  if (!root) return
  const streamIds = listSubtree(root)
    .filter(node => node.stream.name === source)
    .map(node => node.stream.id)
  const range = { from: time ?? minTime, to: time ?? maxTime }
  for (const event of yield* findEvents(call.store, { streamIds, ...range })) {
    const isMeant = time === undefined || event.time === time
    if (isMeant && isOwn(call.store, event)) yield* changeEvent(call, event, { ...event, trashed: true })
  }
}

/** Returns the events of a record's stream and type in a range of times that are not in the trash, oldest first. */
export function* findInLane(
  { call, format, ids }: IntakeContext,
  record: ReceivedRecord,
  range: { readonly from: number; readonly to: number }
): Steps<Event[]> {
  const streamId = getStreamPath(ids, format, record).at(-1)!.id
  return yield* findEvents(call.store, { streamIds: [streamId], type: record.type, ...range })
}

type ClientData = Readonly<Record<string, unknown>> | undefined

/** Returns client data with the elements of both's lists. */
function joinLists(before: ClientData, added: ClientData): Record<string, unknown> | undefined {
  if (!before || !added) return added ? { ...added } : before && { ...before }
  const joined: Record<string, unknown> = { ...before }
  for (const [name, value] of Object.entries(added)) {
    const known = joined[name]
    joined[name] =
      Array.isArray(known) && Array.isArray(value) ? [...new Set<unknown>([...known, ...value])] : value
  }
  return joined
}

/** Finds stored events of streams in a range of times. */
interface EventRange {
  readonly streamIds: readonly string[]
  /** Any type if absent. */
  readonly type?: string
  /** Seconds, both included: events that end at or after `from`, and begin at or before `to`. */
  readonly from: number
  readonly to: number
}

/** Returns the events of a range that are not in the trash, oldest first. */
function* findEvents(store: UserStore, { from, streamIds, to, type }: EventRange): Steps<Event[]> {
  const numbers = streamIds.flatMap(id => store.streams.find(id)?.number ?? [])
  const typeNumber = type === undefined ? undefined : store.events.types.find(type)
  if (numbers.length === 0 || (type !== undefined && typeNumber === undefined)) return []
  const run = store.events.query({
    streams: [{ any: new Set(numbers), all: [], not: new Set() }],
    types: typeNumber === undefined ? undefined : new Set([typeNumber]),
    from,
    to,
    isRunning: false,
    trashed: [0],
    order: 'ASC',
    skip: 0,
    limit: Infinity,
    present: body => body
  })
  const texts: string[] = []
  for (;;) {
    const { done, text } = store.events.next(run)
    if (text !== '') texts.push(text)
    if (done) return JSON.parse(`[${texts.join(',')}]`) as Event[]
    yield
  }
}
