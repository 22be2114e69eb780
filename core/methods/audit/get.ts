/** Lists calls in the older form. (docs/spec/audit.md#audit-logs) */
import { Type, type Static } from 'typebox'
import { closed, Identifier, orNull, Timestamp } from '../../../schemas/scalars.js'
import type { AuditCriteria } from '../../../storage/audit/criteria.js'
import type { AuditRecord } from '../../../storage/audit/record.js'
import { anyAccess } from '../../auth/allow.js'
import { getBaseId } from '../../access-ids.js'
import { toAuditCriteria } from '../../audit/criteria.js'
import { matchesTypes } from '../../audit/events.js'
import { auditRoot, getAuditStreamId } from '../../audit-ids.js'
import { createAuditListing } from '../../audit/listing.js'
import { AuditLog, toAuditLog, getEndpoint, getEventType } from '../../audit/audit-event.js'
import { fail } from '../../errors.js'
import { omitNulls, type WithoutNulls } from '../../validation/omit-nulls.js'
import { method } from '../../call/method.js'
import { parseStreamsQuery } from '../../events/streams-query.js'
import type { Services } from '../../call/services.js'
import type { Reader } from '../../call/reader.js'
import { isCreatedBy } from '../../permissions/access.js'

const nonNegativeInteger = Type.Integer({ minimum: 0 })
const text = Type.String({ minLength: 1, maxLength: 1024 })

const Params = Type.Object(
  {
    accessId: orNull(Identifier),
    /** Both mean whole days (UTC), including the day of `toTime` to its end. */
    fromTime: orNull(Timestamp),
    toTime: orNull(Timestamp),
    /** `4` stands for 400 to 499, `40` for 400 to 409. */
    status: orNull(
      Type.Union([Type.Integer({ minimum: 1, maximum: 599 }), Type.String({ pattern: '^[1-5][0-9]{0,2}$' })])
    ),
    ip: orNull(text),
    httpVerb: orNull(text),
    resource: orNull(text),
    errorId: orNull(text),
    streams: Type.Optional(Type.Unknown()),
    types: orNull(Type.Array(text, { maxItems: 10_000 })),
    sortAscending: orNull(Type.Boolean()),
    skip: orNull(nonNegativeInteger),
    limit: orNull(nonNegativeInteger),
    modifiedSince: orNull(Timestamp)
  },
  closed
)
type Params = WithoutNulls<Static<typeof Params>>

/**
 * Returns the calls made with an access, or with any access whose calls the caller may see; the latest first
 * by default, and the last 20 unless a time or a limit is given. Throws `forbidden` for an access whose calls
 * the caller may not see.
 */
export const get = method({
  id: 'audit.get',
  summary: 'List audit records',
  params: Params,
  result: Type.Object({ auditLogs: Type.Array(AuditLog) }),
  mode: 'read',
  allow: anyAccess,
  run(call, all) {
    const params = omitNulls(all)
    const { services, store } = call
    store.completeAudit()
    const { fromTime, limit, modifiedSince, skip, sortAscending, toTime } = params
    const auditLogs = createAuditListing(call, {
      criteria: reader => buildCriteria(services, reader, params),
      from: fromTime === undefined ? -Infinity : startOfDay(fromTime),
      to: toTime === undefined ? Infinity : startOfDay(toTime) + day - tick,
      modifiedSince: modifiedSince ?? -Infinity,
      isAscending: sortAscending === true,
      skip: skip ?? 0,
      limit: limit ?? (fromTime === undefined && toTime === undefined ? 20 : Infinity),
      matches: createFilter(services, params),
      present: record => toAuditLog(services, record)
    })
    return { auditLogs }
  }
})

/** Seconds. */
const day = 86_400
const tick = 1e-6

function startOfDay(time: number): number {
  return Math.floor(time / day) * day
}

/**
 * Builds the criteria; by default all calls for personal accesses, and for other accesses their own calls.
 * Throws `forbidden` for an access whose calls the caller may not see.
 */
function buildCriteria(services: Services, reader: Reader, { accessId, streams }: Params): AuditCriteria[] {
  const { caller } = reader
  const own = caller.isPersonal ? auditRoot : getAuditStreamId(caller.accessId)
  const asked = streams ?? [accessId === undefined ? own : getAuditStreamId(accessId)]
  const maySee = (id: string): boolean => mayAudit(reader, id)
  if (accessId !== undefined && !maySee(getBaseId(accessId))) fail('forbidden')
  const of = accessId === undefined ? [] : [{ id: getAuditStreamId(accessId), withBelow: true }]
  const queries = parseStreamsQuery(asked, services.config.limits.queryIds)
  return toAuditCriteria(
    reader,
    queries.map(query => ({ ...query, all: [...query.all, ...of] })),
    maySee
  )
}

/**
 * Returns whether the caller may see the calls of an access: its own access, an access that it has been granted to
 * audit, or an access that it created, even if expired or deleted.
 */
function mayAudit({ caller, store }: Reader, accessId: string): boolean {
  if (caller.mayAudit(accessId)) return true
  const access = store.accesses.findEver(accessId)
  return access !== undefined && isCreatedBy(access, caller.accessId)
}

/** Creates the test of a record by params that no index covers. `resource` matches the beginning of a path. */
function createFilter(services: Services, params: Params): (record: AuditRecord) => boolean {
  const { errorId, httpVerb, ip, types = [] } = params
  const status = params.status === undefined ? undefined : String(params.status)
  const resource = params.resource?.replace(/^\/+/, '')
  return record => {
    const endpoint = getEndpoint(services, record.action)
    return (
      (status === undefined || String(record.status).startsWith(status)) &&
      (ip === undefined || record.ip === ip) &&
      (errorId === undefined || record.errorId === errorId) &&
      (httpVerb === undefined || endpoint.verb === httpVerb.toUpperCase()) &&
      (resource === undefined || `${endpoint.resource.slice(1)}/`.startsWith(`${resource}/`)) &&
      (types.length === 0 ||
        types.includes('audit/core') ||
        matchesTypes(getEventType(services, record), types))
    )
  }
}
