/** Lists events by time, streams, types and more. (docs/spec/events.md#reading-a-list) */
import { Type, type Static } from 'typebox'
import { Event } from '../../../schemas/event.js'
import { closed, ItemDeletion, orNull, Timestamp } from '../../../schemas/scalars.js'
import type { EventQuery } from '../../../storage/event-query/query.js'
import type { UserStore } from '../../../storage/user/user-store.js'
import { anyAccess } from '../../auth/allow.js'
import { auditEvents, isAboutAudit } from '../../audit/events.js'
import { contentConditions } from '../../events/content-query.js'
import { isGiven, Tags } from '../../events/fields.js'
import { eventDeletions } from '../../events/deletions.js'
import { presenter } from '../../events/view.js'
import { eventScope } from '../../events/scope.js'
import { withoutNulls, type WithoutNulls } from '../../validation/without-nulls.js'
import { joined, type Listing } from '../../json/json-text.js'
import { withLiveValues } from '../../events/live-values.js'
import { method, type Call } from '../../call/method.js'
import { withTags } from '../../streams/tags.js'
import { Footing, type Reader } from '../../call/reader.js'

const whole = Type.Integer({ minimum: 0 })

const Params = Type.Object(
  {
    /** See core/events/streams-query.ts. */
    streams: Type.Optional(Type.Unknown()),
    tags: orNull(Tags),
    types: orNull(
      Type.Array(Type.String({ pattern: '^(series:)?[a-z0-9-]+/([a-z0-9-]+|\\*)$', maxLength: 256 }), {
        maxItems: 10_000
      })
    ),
    fromTime: orNull(Timestamp),
    toTime: orNull(Timestamp),
    running: orNull(Type.Boolean()),
    sortAscending: orNull(Type.Boolean()),
    skip: orNull(whole),
    limit: orNull(whole),
    state: orNull(Type.Enum(['default', 'trashed', 'all'])),
    /** See core/events/content-query.ts. */
    content: Type.Optional(Type.Unknown()),
    clientData: Type.Optional(Type.Unknown()),
    modifiedSince: orNull(Timestamp),
    includeDeletions: orNull(Type.Boolean()),
    /** The token, where it comes as a parameter; it has been read by then. */
    auth: Type.Optional(Type.String())
  },
  closed
)
type Params = WithoutNulls<Static<typeof Params>>

/** The events in order of time and, if asked for, the deletions since. */
export const get = method({
  id: 'events.get',
  summary: 'List events by time, streams, types and more',
  params: Params,
  result: Type.Object({
    events: Type.Array(Event),
    eventDeletions: Type.Optional(Type.Array(ItemDeletion))
  }),
  mode: 'read',
  allow: anyAccess,
  // Until now is another time with every call, and so is what the audit holds.
  isRepeatable: ({ fromTime, streams, toTime }) =>
    (!isGiven(fromTime) || isGiven(toTime)) && !isAboutAudit(streams),
  run(call, all) {
    const params = withoutNulls(all)
    const { modifiedSince, includeDeletions } = params
    const range = { skip: params.skip ?? 0, limit: limitOf(params) }
    const query = queryOf(call, params, range)
    const own = isHopeless(query)
      ? nothing
      : listing(call, query, reader => queryOf({ ...call, ...reader }, params, range))
    const events = isAboutAudit(params.streams) ? joined([own, auditEvents(call, params)]) : own
    if (!includeDeletions || modifiedSince === undefined) return { events }
    const isAscending = params.sortAscending === true
    return {
      events,
      eventDeletions: eventDeletions({ since: modifiedSince, isAscending, ...range })
    }
  }
})

const nothing: readonly never[] = []

type Range = Pick<EventQuery, 'skip' | 'limit'>

/** 20 unless a time or a limit is given. */
function limitOf({ fromTime, toTime, limit }: Params): number {
  return limit ?? (fromTime === undefined && toTime === undefined ? 20 : Infinity)
}

/** The events of a query. Where a page finds another tree, or another access, it is asked for again what may be seen. */
function listing(call: Call, query: EventQuery, queryFor: (reader: Reader) => EventQuery): Listing<Reader> {
  const { core } = call
  const run = call.store.events.query(query)
  const footing = new Footing(call)
  let isHidden = false
  return {
    next(reader) {
      if (footing.hasChanged(reader)) {
        const now = queryFor(reader)
        isHidden = isHopeless(now)
        run.follow(now)
      }
      if (isHidden) return { text: '', count: 0, done: true }
      const page = reader.store.events.next(run)
      const text = withLiveValues(core, page.text, reader.store)
      // Counts and what seals them are ASCII: the excess stays what it is.
      return text === page.text ? page : { ...page, text }
    }
  }
}

function queryOf(call: Call, params: Params, { skip, limit }: Range): EventQuery {
  const { fromTime, toTime, modifiedSince, running, sortAscending, state = 'default' } = params
  return {
    streams: withTags(call, eventScope(call, params.streams, state !== 'default'), params.tags),
    types: typeNumbers(call.store, params.types),
    contents: contentConditions(params, call.core.config),
    from: fromTime ?? (toTime === undefined ? undefined : toTime - 86_400),
    to: toTime ?? (fromTime === undefined ? undefined : call.now),
    modifiedSince,
    isRunning: running === true,
    trashed: trashedIn[state],
    order: sortAscending ? 'ASC' : 'DESC',
    skip,
    limit,
    present: presenter(call)
  }
}

const trashedIn = { default: [0], trashed: [1], all: [0, 1] } as const

function typeNumbers({ events }: UserStore, types: readonly string[] | undefined): Set<number> | undefined {
  if (!types || types.length === 0) return undefined
  const numbers = new Set<number>()
  for (const type of new Set(types)) {
    const found = type.endsWith('/*') ? events.types.ofClass(type.slice(0, -2)) : [events.types.find(type)]
    for (const number of found) if (number !== undefined) numbers.add(number)
  }
  return numbers
}

/** Whether no event can match, whatever there is. */
function isHopeless({ streams, types }: EventQuery): boolean {
  return streams?.length === 0 || types?.size === 0
}
