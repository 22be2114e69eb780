/** `events.get` and `events.getOne` on the audit. (docs/spec/audit.md#reading) */
import type { Event } from '../../schemas/event.js'
import { fail } from '../errors.js'
import type { Listing } from '../json/json-text.js'
import type { Call } from '../call/method.js'
import { parseStreamsQuery } from '../events/streams-query.js'
import { toAuditCriteria } from './criteria.js'
import { auditRoot } from '../audit-ids.js'
import { createAuditListing } from './listing.js'
import { toAuditEvent, getEventType } from './audit-event.js'
import type { Reader } from '../call/reader.js'

/** Params of `events.get`. */
interface AuditParams {
  readonly streams?: unknown
  readonly types?: readonly string[]
  readonly fromTime?: number
  readonly toTime?: number
  readonly sortAscending?: boolean
  readonly skip?: number
  readonly limit?: number
  readonly modifiedSince?: number
  // Conditions that only events of the account can match:
  readonly tags?: readonly string[] | null
  readonly running?: boolean
  readonly state?: string
  readonly content?: unknown
  readonly clientData?: unknown
  readonly text?: string
}

/** Returns whether a `streams` parameter asks for the audit, perhaps among other streams. */
export function includesAudit(streams: unknown): boolean {
  return streams !== undefined && JSON.stringify(streams).includes(auditRoot)
}

/**
 * Returns the records that `events.get` asks for, as events, including all calls answered so far. Without
 * times, the last 20 unless there is a limit; with `toTime` only, those of the day before it. None for
 * conditions that no record meets, such as texts. Errors: `invalid-operation` for conditions on contents, and
 * the errors of {@link toAuditCriteria}.
 */
export function listAuditEvents(call: Call, params: AuditParams): Listing<Reader> {
  const { services } = call
  const queries = parseStreamsQuery(params.streams, services.config.limits.queryIds)
  const isEmpty =
    params.running === true ||
    params.state === 'trashed' ||
    // Records of calls hold no text.
    params.text !== undefined ||
    (params.tags?.some(tag => tag.trim() !== '') ?? false)
  if (params.content !== undefined || params.clientData !== undefined)
    fail('invalid-operation', 'Content conditions cannot be used on the audit')
  call.store.completeAudit()
  const auditQueries = queries.filter(({ store }) => store === auditRoot)
  const { fromTime, limit, modifiedSince, skip, sortAscending, toTime, types } = params
  return createAuditListing(call, {
    criteria: reader => {
      const criteria = toAuditCriteria(reader, auditQueries)
      return isEmpty ? [] : criteria
    },
    from: fromTime ?? (toTime === undefined ? -Infinity : toTime - 86_400),
    // All records are in the past: "until now" needs no bound.
    to: toTime ?? Infinity,
    modifiedSince: modifiedSince ?? -Infinity,
    isAscending: sortAscending === true,
    skip: skip ?? 0,
    limit: limit ?? (fromTime === undefined && toTime === undefined ? 20 : Infinity),
    matches: record => matchesTypes(getEventType(services, record), types),
    present: record => toAuditEvent(services, record)
  })
}

/** Returns the event of a record. Errors: `unknown-resource`, `forbidden`. */
export function getAuditEvent({ caller, services, store }: Call, id: string): Event {
  store.completeAudit()
  const record = store.audit.find(id.slice(auditRoot.length))
  if (!record) fail('unknown-resource', `No event "${id}"`)
  if (!caller.mayAudit(record.access)) fail('forbidden')
  return toAuditEvent(services, record)
}

/** Returns whether a type is one of those requested; true if the request names no types. */
export function matchesTypes(type: string, types: readonly string[] | undefined): boolean {
  if (!types || types.length === 0) return true
  return types.includes(type) || types.includes('audit-log/*')
}
