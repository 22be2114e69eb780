/** The reach of a read, for the audit: streams, times and number of items. (docs/spec/audit.md#what-reads-reached) */
import type { Access } from '../../schemas/access.js'
import type { AuditScope } from '../../storage/audit/scope.js'
import { idsAt } from '../events/place.js'
import type { Reader } from '../call/reader.js'
import type { Holder } from '../../storage/repositories/series.js'
import type { Event } from '../../schemas/event.js'
import type { Caller } from '../permissions/caller.js'
import { allows } from '../permissions/levels.js'
import { isStreamPermission } from '../../schemas/permission.js'
import { parseStreamsQuery } from '../events/streams-query.js'
import { shortened } from '../short-text.js'

/** Limits on the recorded streams, on the characters of each id, and of all of them: calls of a few bytes are recorded, too. */
const maxStreams = 20
const maxIdLength = 100
const maxLength = 500

/** A range of time in seconds; either end may be open. */
export interface Span {
  readonly from?: number | undefined
  readonly to?: number | undefined
}

/** The recorded streams, possibly cut. */
interface Named {
  readonly streamIds: readonly string[]
  readonly isCut: boolean
}

/** The reach of a list, of which nothing has been read yet. `streams`: a `streams` parameter. */
export function reachOfQuery(caller: Caller, streams: unknown, { from, to }: Span): AuditScope {
  return reachOf(streams === undefined ? grantedTo(caller) : requestedBy(caller, streams), from, to, 0, true)
}

/** Members are listed one by one: this runs for every read, and a spread costs as much as a query. */
function reachOf(
  { isCut, streamIds }: Named,
  from: number | undefined,
  to: number | undefined,
  count: number,
  isOpen: boolean
): AuditScope {
  return { streamIds, isTruncated: isCut, from, to, count, isOpen }
}

/** The reach of one event. */
export function reachOfEvent(
  reader: Reader,
  { streamIds, time }: Pick<Event, 'streamIds' | 'time'>
): AuditScope {
  return reachOf(known(reader, streamIds), time, time, 1, false)
}

/** The reach of one event in the streams of these numbers. */
export function reachOfItem(reader: Reader, streams: readonly number[]): AuditScope {
  return reachOf(known(reader, idsAt(reader.store, streams)), undefined, undefined, 1, false)
}

/** The reach of a list of points below a holder, of which nothing has been read yet. */
export function reachOfPoints(
  reader: Reader,
  { streams }: Pick<Holder, 'streams'>,
  { from, to }: Span
): AuditScope {
  return reachOf(known(reader, idsAt(reader.store, streams)), from, to, 0, true)
}

/** Those of the ids that the caller may list. */
function known({ caller }: Reader, streamIds: readonly string[]): Named {
  return named(caller.isPersonal ? streamIds : streamIds.filter(id => caller.may('list', id)))
}

const granted = new WeakMap<Access, Named>()
const all: Named = { streamIds: ['*'], isCut: false }

/** The streams that an access may read by its permissions. */
function grantedTo({ access }: Caller): Named {
  if (!access || access.type === 'personal') return all
  let found = granted.get(access)
  if (!found) {
    const ids = (access.permissions ?? []).flatMap(permission =>
      isStreamPermission(permission) && allows(permission.level, 'read') ? [permission.streamId] : []
    )
    granted.set(access, (found = named(ids)))
  }
  return found
}

/** The ids that a `streams` parameter asks for, in any form; it has been validated before. */
function requestedBy(caller: Caller, streams: unknown): Named {
  if (isPlain(streams)) return named(streams)
  const queries = parseStreamsQuery(streams, Infinity)
  if (queries.some(({ any }) => any === '*')) return grantedTo(caller)
  return named([...new Set(queries.flatMap(({ any }) => (any === '*' ? [] : any.map(({ id }) => id))))])
}

/** Whether it is a plain list of ids, by far the most frequent form. */
function isPlain(streams: unknown): streams is readonly string[] {
  return Array.isArray(streams) && streams.every(id => typeof id === 'string' && /^[a-z0-9-]+$/i.test(id))
}

function named(ids: readonly string[]): Named {
  const streamIds: string[] = []
  let isCut = false
  let left = maxLength
  for (const id of ids) {
    const kept = id.length <= maxIdLength ? id : shortened(id, maxIdLength)
    left -= kept.length
    if (streamIds.length === maxStreams || left < 0) return { streamIds, isCut: true }
    streamIds.push(kept)
    isCut ||= kept !== id
  }
  return { streamIds, isCut }
}
