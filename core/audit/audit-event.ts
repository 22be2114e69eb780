/**
 * Audit records as clients see them: as events, or as log entries of the older API. (docs/spec/audit.md#audit-events;
 * docs/spec/audit.md#audit-logs)
 */
import { Type, type Static } from 'typebox'
import { Event } from '../../schemas/event.js'
import type { AuditScope } from '../../storage/audit/scope.js'
import type { AuditEntry, AuditRecord } from '../../storage/audit/record.js'
import type { Config } from '../settings/config.js'
import { computeEventIntegrity } from '../integrity.js'
import { addTags } from '../streams/tags.js'
import { getBaseId } from '../access-ids.js'
import { auditRoot, getAuditStreamId } from '../audit-ids.js'
import type { Services } from '../call/services.js'

/** A record in the older form, together with the fields of its event. */
export const AuditLog = Type.Object({
  ...Event.properties,
  type: Type.Literal('audit/core'),
  forwardedFor: Type.String(),
  action: Type.String(),
  query: Type.Optional(Type.String()),
  accessId: Type.String(),
  status: Type.Integer(),
  errorId: Type.Optional(Type.String()),
  errorMessage: Type.Optional(Type.String())
})
export type AuditLog = Static<typeof AuditLog>

/** Returns the type of the event of a record. */
export function getEventType(
  { config: { audit } }: Pick<Services, 'config'>,
  { errorId }: Pick<AuditEntry, 'errorId'>
): string {
  return `audit-log/${audit.brand}-api${errorId === undefined ? '' : '-error'}`
}

/** Returns the fields of the event of a record, except its id. */
export function toEventFields(config: Config, entry: AuditEntry): Omit<Event, 'id'> {
  const { access, action, time } = entry
  const base = getBaseId(access)
  const streamIds = [
    getAuditStreamId(base),
    ...(base === access ? [] : [getAuditStreamId(access)]),
    `${auditRoot}action-${action}`
  ]
  return {
    streamIds,
    streamId: streamIds[0]!,
    time,
    type: getEventType({ config }, entry),
    content: toContent(entry),
    created: time,
    createdBy: 'system',
    modified: time,
    modifiedBy: 'system'
  }
}

/** Converts a record to an event. Its integrity value is computed on each read: the proof is the chain of records. */
export function toAuditEvent(services: Services, record: AuditRecord): Event {
  const event = addTags(services, { id: auditRoot + record.id, ...toEventFields(services.config, record) })
  const { algorithm, isActive } = services.config.integrity
  return isActive.events ? { ...event, integrity: computeEventIntegrity(event, algorithm) } : event
}

/** Converts a record to the older form. */
export function toAuditLog(services: Services, record: AuditRecord): AuditLog {
  const { access, action, errorId, ip, message, query, status } = record
  const { integrity: _of, ...event } = toAuditEvent(services, record)
  const { resource, verb } = getEndpoint(services, action)
  return {
    ...event,
    type: 'audit/core',
    forwardedFor: ip,
    action: `${verb} ${resource}`,
    ...(query && { query: toQueryText(query) }),
    accessId: getBaseId(access),
    status,
    ...(errorId !== undefined && { errorId, errorMessage: message ?? '' })
  }
}

/** Returns the verb and the path by which a method is called over HTTP, also for calls in batches and over sockets. */
export function getEndpoint(
  { endpoints }: Services,
  action: string
): { readonly verb: string; readonly resource: string } {
  return endpoints.get(action) ?? { verb: 'POST', resource: `/${action}` }
}

/** Returns the content of an audit event; members that the record lacks are absent. */
function toContent({
  action,
  callerId,
  errorId,
  integrity,
  ip,
  isQueryTruncated,
  key,
  message,
  query,
  auditScope,
  status,
  via
}: AuditEntry): object {
  return {
    source: { name: via, ip },
    action,
    query: query ?? {},
    ...(isQueryTruncated && { isQueryCut: true }),
    status,
    ...(callerId !== undefined && { callerId }),
    ...(key !== undefined && { record: { key, ...(integrity !== undefined && { integrity }) } }),
    ...(auditScope && { read: toReadScope(auditScope), ...toFlatScope(auditScope) }),
    ...(errorId !== undefined && { id: errorId }),
    ...(message !== undefined && { message })
  }
}

/**
 * Describes what was read. The count is omitted if nothing had been read when the record was written; `hasMore` says
 * that more followed.
 */
function toReadScope({ count, from, isTruncated, isOpen, streamIds, to }: AuditScope): object {
  return {
    streamIds,
    ...(isTruncated && { isCut: true }),
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
    ...((count > 0 || !isOpen) && { count }),
    ...(isOpen && { hasMore: true })
  }
}

/** Describes what was read under the names of version 2 of the API. */
function toFlatScope({ count, isOpen, streamCount, streamIds }: AuditScope): object {
  return {
    recordCount: count,
    ...(isOpen && { recordCountIncomplete: true }),
    scopedStreamIds: streamIds,
    scopedStreamCount: streamCount
  }
}

function toQueryText(query: object): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    [value as string | string[]].flat().map((text): [string, string] => [name, text])
  )
  return new URLSearchParams(pairs).toString()
}
