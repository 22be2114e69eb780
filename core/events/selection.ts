/** Events chosen by the params of `events.get`, which exports take, too. (docs/spec/events.md#reading-a-list) */
import { Type } from 'typebox'
import { EventStates, EventTypes } from '../../schemas/event.js'
import { orNull, Timestamp } from '../../schemas/scalars.js'
import type { EventQuery, TextSearch } from '../../storage/event-query/query.js'
import type { Call } from '../call/method.js'
import { ReaderVersion, type Reader } from '../call/reader.js'
import type { Listing } from '../json/json-text.js'
import { restrictToTags } from '../streams/tags.js'
import { parseContentConditions } from './content-query.js'
import { Tags } from './fields.js'
import { insertLiveValues } from './live-values.js'
import { resolveEventScope } from './scope.js'
import { refuseParams } from '../validation/params.js'
import { createPresenter } from './public-event.js'
import type { UserStore } from '../../storage/user/user-store.js'

const nonNegativeInteger = Type.Integer({ minimum: 0 })

/** Schemas of the params. */
export const selectionParams = {
  /** See core/events/streams-query.ts. */
  streams: Type.Optional(Type.Unknown()),
  tags: orNull(Tags),
  types: orNull(EventTypes),
  fromTime: orNull(Timestamp),
  toTime: orNull(Timestamp),
  running: orNull(Type.Boolean()),
  sortAscending: orNull(Type.Boolean()),
  skip: orNull(nonNegativeInteger),
  limit: orNull(nonNegativeInteger),
  state: orNull(EventStates),
  /** See core/events/content-query.ts. */
  content: Type.Optional(Type.Unknown()),
  clientData: Type.Optional(Type.Unknown()),
  /** Words to search for in notes, descriptions and file names; no character has a special meaning. */
  text: orNull(Type.String({ maxLength: 200 })),
  modifiedSince: orNull(Timestamp)
}

/** The params without nulls. */
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

/** Restricts a query further. */
export type QueryFilter = (query: EventQuery) => EventQuery

/** The query, and the list of its events: empty if no event can match. */
interface SelectedEvents {
  readonly query: EventQuery
  readonly events: Listing<Reader> | readonly never[]
}

const noEvents: readonly never[] = []

/** Returns a call that selects events without their credentials. */
export function withoutSecrets(call: Call): Call {
  return { ...call, services: { ...call.services, eventSecrets: undefined } }
}

/**
 * Selects at most `limit` events. When a page finds that the tree or the access has changed, the query is
 * built again, for what the caller may see now. The list is empty if nothing can match. Without `toTime`,
 * events up to now count; without `fromTime`, those of the day before `toTime`; without both, all. Errors:
 * those of {@link resolveEventScope}, and `invalid-parameters-format` for conditions on contents, a text
 * without a word, and tags that are switched off.
 */
export function selectEvents(
  call: Call,
  params: Selection,
  limit: number,
  narrow?: QueryFilter
): SelectedEvents {
  return createSelector(call, params, limit)(call, narrow)
}

/**
 * Returns a function that selects like {@link selectEvents} for a reader. The query is built once, and again only for what the
 * reader may see after a change: to list thousands of streams for each of thousands of narrower queries would take minutes.
 */
export function createSelector(
  call: Call,
  params: Selection,
  limit: number
): (reader: Reader, narrow?: QueryFilter) => SelectedEvents {
  const version = new ReaderVersion(call)
  const build = (reader: Reader): EventQuery => buildQuery({ ...call, ...reader }, params, limit)
  let whole = build(call)
  return (reader, narrow = query => query) => {
    if (version.hasChanged(reader)) whole = build(reader)
    const query = narrow(whole)
    if (matchesNothing(query)) return { query, events: noEvents }
    const own = { ...call, ...reader }
    return { query, events: createListing(own, query, current => narrow(build(current))) }
  }
}

/** Creates the list of a query's events. `queryFor` builds the query again for a reader with other permissions. */
function createListing(
  call: Call,
  query: EventQuery,
  queryFor: (reader: Reader) => EventQuery
): Listing<Reader> {
  const { services } = call
  const run = call.store.events.query(query)
  const version = new ReaderVersion(call)
  let isHidden = false
  return {
    next(reader) {
      if (version.hasChanged(reader)) {
        const current = queryFor(reader)
        isHidden = matchesNothing(current)
        run.updateScope(current)
      }
      if (isHidden) return { text: '', count: 0, done: true }
      const page = reader.store.events.next(run)
      const text = insertLiveValues(services, page.text, reader.store)
      // Counts and integrity values are ASCII, so `excess` (bytes minus characters) is unchanged.
      return text === page.text ? page : { ...page, text }
    }
  }
}

/**
 * Builds the query for the params, within what the caller may read. If only one of `fromTime` and `toTime` is given,
 * the other is a day before, or now.
 */
function buildQuery(call: Call, params: Selection, limit: number): EventQuery {
  const { fromTime, toTime, modifiedSince, running, skip = 0, sortAscending, state = 'default' } = params
  return {
    streams: restrictToTags(call, resolveEventScope(call, params.streams, state !== 'default'), params.tags),
    types: findTypeNumbers(call.store, params.types),
    contents: parseContentConditions(params, call.services.config),
    text: createTextSearch(call, params.text),
    from: fromTime ?? (toTime === undefined ? undefined : toTime - 86_400),
    to: toTime ?? (fromTime === undefined ? undefined : call.now),
    modifiedSince,
    isRunning: running === true,
    trashed: trashedByState[state],
    order: sortAscending ? 'ASC' : 'DESC',
    skip,
    limit,
    present: createPresenter(call)
  }
}

/** Returns whether no event can match the query. */
function matchesNothing({ streams, types }: EventQuery): boolean {
  return streams?.length === 0 || types?.size === 0
}

/**
 * Creates the search for a text; `undefined` if no text is given. Throws `invalid-parameters-format` for text without a
 * word. (docs/spec/events.md#searching-texts)
 */
function createTextSearch({ caller, store }: Call, text: string | undefined): TextSearch | undefined {
  if (text === undefined) return undefined
  const words = store.events.texts.toSearchWords(text)
  if (words.length === 0)
    refuseParams([
      { code: 'INVALID', message: 'must contain at least one word of letters or digits', path: '#/text' }
    ])
  const { visibility } = caller
  // The values of account fields are not searched.
  return {
    words,
    mayUseIndex:
      visibility.everything || (visibility.isAllButAccountFields === true && visibility.closed.size === 0)
  }
}

/**
 * Returns the numbers of types; `undefined` if no types are named: then all types match. Types that no event
 * has are omitted, so that the numbers may be empty: then no event matches. `class/*` stands for all types of
 * a class.
 */
export function findTypeNumbers(
  { events }: UserStore,
  types: readonly string[] | undefined
): Set<number> | undefined {
  if (!types || types.length === 0) return undefined
  const numbers = new Set<number>()
  for (const type of new Set(types)) {
    const found = type.endsWith('/*') ? events.types.listClass(type.slice(0, -2)) : [events.types.find(type)]
    for (const number of found) if (number !== undefined) numbers.add(number)
  }
  return numbers
}

/** States of events, by the `state` parameter. */
export const trashedByState = { default: [0], trashed: [1], all: [0, 1] } as const
