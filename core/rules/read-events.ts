/** Reads events that a rule watches, as its access sees them. */
import type { Event } from '../../schemas/event.js'
import { ApiError } from '../errors.js'
import { resolveEventScope } from '../events/scope.js'
import { findTypeNumbers } from '../events/types-query.js'
import type { RuleCall } from './rule-call.js'

export interface EventsRequest {
  /** Absent: all streams that the access can read. */
  readonly streamIds?: readonly string[] | undefined
  readonly types?: readonly string[]
  readonly from?: number
  readonly to?: number
  readonly modifiedSince?: number
  readonly limit: number
}

/** Returns events, the latest first; `undefined` if a stream cannot be read, or does not exist. Hidden events are omitted. */
export function readEvents(call: RuleCall, request: EventsRequest): Event[] | undefined {
  const { from, limit, modifiedSince, streamIds, to, types } = request
  const scope = findScope(call, streamIds)
  if (!scope) return undefined
  const { streams } = scope
  if (streams?.length === 0) return []
  const numbers = findTypeNumbers(call.store, types)
  if (numbers?.size === 0) return []
  const { events } = call.store
  const run = events.query({
    streams,
    types: numbers,
    from,
    to,
    modifiedSince,
    isRunning: false,
    trashed: [0],
    order: 'DESC',
    skip: 0,
    limit,
    present: body => body
  })
  const found: Event[] = []
  for (;;) {
    const { done, text } = events.next(run)
    if (text !== '') found.push(...(JSON.parse(`[${text}]`) as Event[]))
    if (done) return found
  }
}

function findScope(
  call: RuleCall,
  streamIds: readonly string[] | undefined
): { readonly streams: ReturnType<typeof resolveEventScope> } | undefined {
  try {
    return { streams: resolveEventScope(call, streamIds, false) }
  } catch (error) {
    if (error instanceof ApiError && error.status < 500) return undefined
    throw error
  }
}
