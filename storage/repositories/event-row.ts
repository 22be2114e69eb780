/** An event as a row: its public JSON text, and the columns that queries use. */
import type { EventLocation } from '../event-values/event-links.js'
import type { Event } from '../../schemas/event.js'
import { getDurationClass, getPeriodEnd } from '../event-query/spans.js'
import type { Digests } from './policies.js'
import type { Steps } from '../steps.js'

/** Size in bytes above which a list reads a body on its own instead of joining it with others in SQL. */
const largeBytes = 32 * 1024

/**
 * 0: not in the trash; 1: in the trash; 2: hidden, which applies to values of hidden account fields, which no list
 * shows.
 */
type State = 0 | 1 | 2

/** The columns of an event's row other than its number and the number of its type. */
export interface EventRow {
  readonly id: string
  readonly time: number
  /** End of a period in seconds, `Infinity` while it runs; `null` for a point in time. */
  readonly until: number | null
  /** Duration class of a period (storage/event-query/spans.ts); `null` for a point in time. */
  readonly span: number | null
  readonly trashed: State
  readonly modified: number
  /** Number of the event's first stream. */
  readonly stream: number
  /** JSON array of the numbers of its other streams; `null` if it has none. */
  readonly others: string | null
  /** 1 if a list has to read the event separately, otherwise `null`. */
  readonly large: 1 | null
  readonly body: string
  /** The event's integrity value, as in the body; not a column. */
  readonly integrity: string | undefined
}

/** The stored text of an event and its integrity value. */
export type EventBody = Pick<EventRow, 'body' | 'integrity'>

/** Builds the columns of an event. `streams`: the numbers of its streams, in the order of `streamIds`. */
export function toRow(
  event: Event,
  streams: readonly number[],
  { body, integrity }: EventBody,
  isHidden = false
): EventRow {
  const { id, time, duration, trashed, modified } = event
  const [stream, ...others] = streams
  return {
    id,
    time,
    until: getPeriodEnd(time, duration) ?? null,
    span: getDurationClass(duration) ?? null,
    trashed: isHidden ? 2 : trashed ? 1 : 0,
    modified,
    stream: stream!,
    others: others.length === 0 ? null : JSON.stringify(others),
    large: needsSeparateRead(event, body) ? 1 : null,
    body,
    integrity
  }
}

/**
 * Returns whether a list has to read the event separately: it is large, or has files or credentials, which depend on the
 * caller.
 */
function needsSeparateRead({ attachments, type }: Event, body: string): boolean {
  if ((attachments && attachments.length > 0) || isConsentType(type)) return true
  return body.length > largeBytes || (body.length > largeBytes / 4 && Buffer.byteLength(body) > largeBytes)
}

/** Returns whether events of a type may have members that only some callers see. (docs/spec/consent.md#credentials) */
function isConsentType(type: string): boolean {
  return type.startsWith('consent/') && type.endsWith('-cmc')
}

/**
 * Builds the public JSON text of an event: fields in a fixed order, empty ones omitted, with a new integrity value.
 * (docs/spec/events.md#what-is-read; docs/spec/integrity.md#events)
 */
export function toBody(event: Event, digests: Digests): EventBody {
  const publicEvent = toPublicEvent(event)
  publicEvent.integrity = digests.event(publicEvent)
  return { body: JSON.stringify(publicEvent), integrity: publicEvent.integrity }
}

/** Like {@link toBody}, in steps. */
export function toLargeBody(event: Event, digests: Digests): Steps<EventBody> {
  return digests.largeEvent(toPublicEvent(event))
}

/** Returns an event with its public fields in order; empty fields become `undefined`, which JSON omits. */
function toPublicEvent(event: Event) {
  const { attachments, clientData, duration } = event
  // JSON omits `undefined`. Spreading only the present fields would take several times as long.
  return {
    id: event.id,
    streamIds: event.streamIds,
    streamId: event.streamIds[0],
    time: event.time,
    duration: duration === 0 ? undefined : duration,
    type: event.type,
    // The files come before the content, which may be megabytes: readers search for them only up to the content.
    attachments: attachments && attachments.length > 0 ? attachments : undefined,
    content: event.content ?? undefined,
    description: event.description || undefined,
    clientData: clientData && Object.keys(clientData).length > 0 ? clientData : undefined,
    tags: event.tags,
    trashed: event.trashed || undefined,
    created: event.created,
    createdBy: event.createdBy,
    modified: event.modified,
    modifiedBy: event.modifiedBy,
    integrity: undefined as string | undefined
  }
}

const columns = 'id, time, until, span, type, trashed, modified, stream, others, large, body'.split(', ')
/** Adds an event, with its number last. */
export const insertSql = `INSERT INTO event (${columns.join()}, number) VALUES (${columns.map(() => '?').join()}, ?)`
/** Replaces the event with a number. */
export const updateSql = `UPDATE event SET ${columns.map(name => `${name} = ?`).join()} WHERE number = ?`

/** Finds where an event is stored and indexed. */
export const placeSql = `SELECT number, time, span, trashed, stream, others, type, (SELECT words FROM event_text
  WHERE start = event.time AND event = event.number) AS words FROM event WHERE id = ?`

const outlineFields = ['attachments', 'id', 'modified', 'streamIds', 'time', 'trashed', 'type'] as const
/** An event without the fields that may hold megabytes. */
export type EventOutline = Pick<Event, (typeof outlineFields)[number]>
/** Finds an event without its content. */
export const outlineSql = `SELECT json_object(${outlineFields
  .map(name => `'${name}', body -> '$.${name}'`)
  .join()}) FROM event WHERE id = ?`

/** Returns the values of {@link columns} by position: SQLite's bindings would look up each name. */
export function toValues(row: EventRow, type: number): unknown[] {
  const { id, time, until, span, trashed, modified, stream, others, large, body } = row
  return [id, time, until, span, type, trashed, modified, stream, others, large, body]
}

/** Returns where an event is indexed. */
export function toLocation(row: EventRow, type: number, number: number): EventLocation {
  const { others, span, stream, time, trashed } = row
  return { number, time, span, trashed, stream, others, type }
}
