/** The scope of a read, for the audit: streams, times and number of items. (docs/spec/audit.md#what-was-read) */
import type { Access } from '../../schemas/access.js'
import type { AuditScope } from '../../storage/audit/scope.js'
import { getStreamIds } from '../events/event-permissions.js'
import type { Reader } from '../call/reader.js'
import type { Holder } from '../../storage/repositories/series.js'
import type { Event } from '../../schemas/event.js'
import type { Caller } from '../permissions/caller.js'
import { allows } from '../permissions/levels.js'
import { assertOnePerson, createPersonTest } from '../permissions/one-person.js'
import { isStreamPermission } from '../../schemas/permission.js'
import { parseStreamsQuery } from '../events/streams-query.js'
import { isFollowedId } from '../system-ids.js'
import { truncateText } from '../truncate-text.js'

/**
 * Limits on the number of recorded streams, on the characters of each id, and on those of all ids: even a call of a few
 * bytes is recorded, so records must not be much larger.
 */
const maxStreams = 20
const maxIdLength = 100
const maxLength = 500

/** A range of time in seconds; either end may be open. */
interface TimeRange {
  readonly from?: number | undefined
  readonly to?: number | undefined
}

/** The recorded streams, possibly cut. */
interface RecordedStreams {
  readonly streamIds: readonly string[]
  readonly isTruncated: boolean
  /** The number of streams before the list was cut. */
  readonly streamCount: number
  /** The streams that are copies of other accounts' streams. */
  readonly copies?: readonly string[] | undefined
}

/** Returns the scope of a list of which nothing has been read yet. `streams`: a `streams` parameter. */
export function describeQueryScope(caller: Caller, streams: unknown, { from, to }: TimeRange): AuditScope {
  const read =
    streams === undefined
      ? listReadable(caller)
      : listRequested(streams, () => (caller.isPersonal ? ['*'] : listPermitted(caller)))
  return createScope(read, from, to, 0, true)
}

/**
 * Does the same for a read that merges values: where no streams are named, it is of one person. Throws `invalid-operation` if the access
 * reads data of several people then.
 */
export function describeMergedScope(caller: Caller, streams: unknown, range: TimeRange): AuditScope {
  const { access } = caller
  if (!access || caller.isPersonal) return describeQueryScope(caller, streams, range)
  const read = listRequested(streams ?? ['*'], () => {
    assertOnePerson(access)
    return listPermitted(caller).filter(createPersonTest(access))
  })
  return createScope(read, range.from, range.to, 0, true)
}

/** Members are listed one by one: this runs for every read, and a spread costs as much as a query. */
function createScope(
  { copies, isTruncated, streamCount, streamIds }: RecordedStreams,
  from: number | undefined,
  to: number | undefined,
  count: number,
  isOpen: boolean
): AuditScope {
  return { streamIds, isTruncated, streamCount, from: toBound(from), to: toBound(to), count, isOpen, copies }
}

/** Returns a time; `undefined` for the last ones that there are, with which feeds and searches ask for all times. */
function toBound(time: number | undefined): number | undefined {
  return time !== undefined && Math.abs(time) < Number.MAX_VALUE ? time : undefined
}

/** Returns the scope of one event. */
export function describeEventScope(
  reader: Reader,
  { streamIds, time }: Pick<Event, 'streamIds' | 'time'>
): AuditScope {
  return createScope(listVisible(reader, streamIds), time, time, 1, false)
}

/** Returns the scope of one event in the streams of these numbers. */
export function describeItemScope(reader: Reader, streams: readonly number[]): AuditScope {
  return createScope(listVisible(reader, getStreamIds(reader.store, streams)), undefined, undefined, 1, false)
}

/** Returns the scope of a list of points below a holder, of which nothing has been read yet. */
export function describePointsScope(
  reader: Reader,
  { streams }: Pick<Holder, 'streams'>,
  { from, to }: TimeRange
): AuditScope {
  return createScope(listVisible(reader, getStreamIds(reader.store, streams)), from, to, 0, true)
}

/** Returns the ids that the caller may list. */
function listVisible({ caller }: Reader, streamIds: readonly string[]): RecordedStreams {
  return cutIds(caller.isPersonal ? streamIds : streamIds.filter(id => caller.may('list', id)))
}

const grantedByAccess = new WeakMap<Access, RecordedStreams>()
const everything: RecordedStreams = { streamIds: ['*'], isTruncated: false, streamCount: 1 }

/** Returns the streams that an access may read by its permissions. */
function listReadable(caller: Caller): RecordedStreams {
  const { access } = caller
  if (!access || access.type === 'personal') return everything
  let found = grantedByAccess.get(access)
  if (!found) grantedByAccess.set(access, (found = cutIds(listPermitted(caller))))
  return found
}

function listPermitted({ access }: Caller): string[] {
  return (access?.permissions ?? []).flatMap(permission =>
    isStreamPermission(permission) && allows(permission.level, 'read') ? [permission.streamId] : []
  )
}

/**
 * Returns the ids that a `streams` parameter asks for, in any form; the parameter has been validated before. `listAll` returns those for
 * which `*` stands.
 */
function listRequested(streams: unknown, listAll: () => readonly string[]): RecordedStreams {
  if (isIdList(streams)) return cutIds(streams)
  const queries = parseStreamsQuery(streams, Infinity)
  return cutIds([
    ...new Set(queries.flatMap(({ any }) => (any === '*' ? listAll() : any.map(({ id }) => id))))
  ])
}

/** Returns whether a `streams` parameter is a plain list of ids, by far the most frequent form. */
function isIdList(streams: unknown): streams is readonly string[] {
  return Array.isArray(streams) && streams.every(id => typeof id === 'string' && /^[a-z0-9-]+$/i.test(id))
}

/** Returns the ids that fit the limits of a record, and the number of all ids if some are omitted. */
function cutIds(ids: readonly string[]): RecordedStreams {
  const copies = ids.some(isFollowedId) ? ids.filter(isFollowedId) : undefined
  const streamIds: string[] = []
  let isTruncated = false
  let charactersLeft = maxLength
  for (const id of ids) {
    const kept = id.length <= maxIdLength ? id : truncateText(id, maxIdLength)
    charactersLeft -= kept.length
    if (streamIds.length === maxStreams || charactersLeft < 0)
      return { streamIds, isTruncated: true, streamCount: ids.length, copies }
    streamIds.push(kept)
    isTruncated ||= kept !== id
  }
  return { streamIds, isTruncated, streamCount: ids.length, copies }
}
