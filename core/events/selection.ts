/** Events chosen by the params of `events.get`, which exports take, too. (docs/spec/events.md#reading-a-list) */
import { Type } from 'typebox'
import { orNull, Timestamp } from '../../schemas/scalars.js'
import type { EventQuery } from '../../storage/event-query/query.js'
import type { Call } from '../call/method.js'
import { Footing, type Reader } from '../call/reader.js'
import type { Listing } from '../json/json-text.js'
import { withTags } from '../streams/tags.js'
import { contentConditions } from './content-query.js'
import { Tags } from './fields.js'
import { withLiveValues } from './live-values.js'
import { eventScope } from './scope.js'
import { SoughtText, textSearch } from './text-query.js'
import { trashedIn, typeNumbers, Types } from './types-query.js'
import { presenter } from './view.js'

const whole = Type.Integer({ minimum: 0 })

/** Schemas of the params. */
export const selectionParams = {
  /** See core/events/streams-query.ts. */
  streams: Type.Optional(Type.Unknown()),
  tags: orNull(Tags),
  types: orNull(Types),
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
  text: orNull(SoughtText),
  modifiedSince: orNull(Timestamp)
}

/** The params once nulls are left out. */
export interface Selection {
  readonly streams?: unknown
  readonly tags?: string[]
  readonly types?: string[]
  readonly fromTime?: number
  readonly toTime?: number
  readonly running?: boolean
  readonly sortAscending?: boolean
  readonly skip?: number
  readonly limit?: number
  readonly state?: 'default' | 'trashed' | 'all'
  readonly content?: unknown
  readonly clientData?: unknown
  readonly text?: string
  readonly modifiedSince?: number
}

/** Makes a query ask for less. */
export type Narrow = (query: EventQuery) => EventQuery

/** What a query asks for, and the list of it: none if no event can match. */
export interface Selected {
  readonly query: EventQuery
  readonly events: Listing<Reader> | readonly never[]
}

const nothing: readonly never[] = []

/** The events of a selection, at most `limit` of them. Where a page finds another tree, or another access, it is asked for again what may be seen. */
export function selected(
  call: Call,
  params: Selection,
  limit: number,
  narrow: Narrow = query => query
): Selected {
  const query = narrow(queryOf(call, params, limit))
  if (isHopeless(query)) return { query, events: nothing }
  const queryFor = (reader: Reader): EventQuery => narrow(queryOf({ ...call, ...reader }, params, limit))
  return { query, events: listing(call, query, queryFor) }
}

function listing(call: Call, query: EventQuery, queryFor: (reader: Reader) => EventQuery): Listing<Reader> {
  const { services } = call
  const run = call.store.events.query(query)
  const footing = new Footing(call)
  let isHidden = false
  return {
    next(reader) {
      if (footing.hasChanged(reader)) {
        const now = queryFor(reader)
        isHidden = isHopeless(now)
        run.updateScope(now)
      }
      if (isHidden) return { text: '', count: 0, done: true }
      const page = reader.store.events.next(run)
      const text = withLiveValues(services, page.text, reader.store)
      // Counts and what seals them are ASCII: the excess stays what it is.
      return text === page.text ? page : { ...page, text }
    }
  }
}

function queryOf(call: Call, params: Selection, limit: number): EventQuery {
  const { fromTime, toTime, modifiedSince, running, skip = 0, sortAscending, state = 'default' } = params
  return {
    streams: withTags(call, eventScope(call, params.streams, state !== 'default'), params.tags),
    types: typeNumbers(call.store, params.types),
    contents: contentConditions(params, call.services.config),
    text: textSearch(call, params.text),
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

/** Whether no event can match, whatever there is. */
function isHopeless({ streams, types }: EventQuery): boolean {
  return streams?.length === 0 || types?.size === 0
}
