/** Reads events that a rule watches, as its access sees them. */
import type { Event } from '../../schemas/event.js'
import { ApiError } from '../errors.js'
import { resolveEventScope, resolveMergedScope } from '../events/scope.js'
import { findTypeNumbers } from '../events/selection.js'
import type { Steps } from '../../storage/steps.js'
import type { RuleCall } from './rule-call.js'

export interface EventsRequest {
  /** Absent: all streams that the access can read. */
  readonly streamIds?: readonly string[] | undefined
  /** Whether these are streams of one person. */
  readonly isOfOnePerson?: true
  readonly types?: readonly string[]
  readonly from?: number
  readonly to?: number
  readonly modifiedSince?: number
  readonly limit: number
  /** Maximum number of characters of their JSON. Events after that are omitted, unread. */
  readonly maxLength: number
}

/** Maximum number of characters of JSON that are read without a pause: some milliseconds. */
export const maxLengthAtOnce = 2_000_000

/**
 * Lists what `pick` returns for events, the latest first; `undefined` if a stream cannot be read, or does not exist. Hidden events are
 * omitted. Events may be large: only what is picked is kept. May pause after each page; `getCall` returns the call of the moment.
 */
export function* pickEvents<T>(
  getCall: () => RuleCall,
  request: EventsRequest,
  pick: (event: Event) => T
): Steps<T[] | undefined> {
  const call = getCall()
  const { from, isOfOnePerson, limit, maxLength, modifiedSince, streamIds, to, types } = request
  const scope = findScope(call, streamIds, isOfOnePerson ? resolveMergedScope : resolveEventScope)
  if (!scope) return undefined
  const { streams } = scope
  if (streams?.length === 0) return []
  const numbers = findTypeNumbers(call.store, types)
  if (numbers?.size === 0) return []
  let length = 0
  const run = call.store.events.query({
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
    // Called for large events only.
    present(body) {
      const isOmitted = length > 0 && length + body.length > maxLength
      return isOmitted ? 'null' : body
    }
  })
  const found: T[] = []
  for (;;) {
    const { done, text } = getCall().store.events.next(run)
    length += text.length
    if (text !== '')
      for (const event of JSON.parse(`[${text}]`) as (Event | null)[]) if (event) found.push(pick(event))
    if (done || length >= maxLength) return found
    yield
  }
}

function findScope(
  call: RuleCall,
  streamIds: readonly string[] | undefined,
  resolve: typeof resolveEventScope
): { readonly streams: ReturnType<typeof resolveEventScope> } | undefined {
  try {
    return { streams: resolve(call, streamIds, false) }
  } catch (error) {
    if (error instanceof ApiError && error.status < 500) return undefined
    throw error
  }
}
