/** Watches for data that does not come: `missing`. (docs/api/rules.md#conditions) */
import type { ConditionOf, RuleProblem } from '../../schemas/rule.js'
import type { Event } from '../../schemas/event.js'
import { messageType } from '../channels/account-messages.js'
import { KnownMeasures, type MeasureForm } from '../measures/known-measures.js'
import { createMeasureScope } from '../measures/scope.js'
import { isTrashed } from '../streams/tree.js'
import { runSteps } from '../../storage/steps.js'
import { isChannelMessage } from './event-watchers.js'
import { maxLengthAtOnce, pickEvents } from './read-events.js'
import { findConditionMeasure } from './reading-watcher.js'
import { findLastBefore, longAgo, maxAhead } from './readings.js'
import { asUser, mayReadAll, type RuleCall, type Watcher } from './rule-call.js'

/** Returns the watcher of a silence, or why there is none. */
export function watchSilence(call: RuleCall, condition: ConditionOf<'missing'>): Watcher | RuleProblem {
  const find = createFinder(call, condition)
  if (typeof find === 'string') return find
  let isKnown = false
  let last: number | undefined
  const getLast = (): number | undefined => {
    if (!isKnown) last = find()
    isKnown = true
    return last
  }
  return {
    // Data that has been seen, and can be seen no more, is not missing.
    isReadable: ({ cause }) => cause === undefined || getLast() !== undefined,
    feed(episodes, { now }) {
      const { state } = episodes
      const found = getLast()
      const isIdle = state.holdsSince === undefined && !state.isFiring
      const { seenTo } = state
      if (found === undefined || (found === longAgo && seenTo === undefined)) {
        if (isIdle && seenTo === undefined) episodes.restart(state.activeFrom, { now })
        // Without any data left, it is not a silence.
        if (!isIdle && seenTo !== undefined)
          episodes.correct(undefined, now, { isHidden: isHidden(call, condition) })
        return
      }
      // What a connection sent while the clock was ahead counts as of when that is noticed.
      const heard = found > now + maxAhead ? (seenTo ?? now) : Math.min(found, now)
      const time = found === longAgo ? Math.min(seenTo!, now - condition.for) : heard
      if (time === seenTo && !isIdle) return
      state.seenTo = time
      if (seenTo === undefined || time > seenTo) return episodes.restart(time, { now, cause: time })
      // The last data was changed, removed or restored: the silence is longer, or goes on.
      episodes.correct({ time, cause: time }, now)
      if (state.isFiring) episodes.setCause({ cause: time })
    }
  }
}

/** Returns whether there is data that only the user can read. */
function isHidden(call: RuleCall, condition: ConditionOf<'missing'>): boolean {
  const find = call.caller.isPersonal ? undefined : createFinder(asUser(call), condition)
  return typeof find === 'function' && find() !== undefined
}

/** Returns a function that finds the time of the last data, in seconds, or why there is none. */
function createFinder(
  call: RuleCall,
  condition: ConditionOf<'missing'>
): (() => number | undefined) | RuleProblem {
  const { caller, store } = call
  if ('measure' in condition) {
    const measure = findConditionMeasure(call, condition)
    const { streamIds: streams } = condition
    if (!measure) return 'unknown-measure'
    if (!mayReadAll(call, streams)) return 'forbidden'
    // Notes may be messages of channels.
    const { types } = measure
    if (types.includes(messageType))
      return () =>
        findLastEvent(
          call,
          { types, streamIds: streams, isMatch: createNoteTest(call, measure) },
          condition.for
        )
    return () => findLastBefore(call, { measure, streams }, condition.for)
  }
  if ('connectionId' in condition) {
    const stored = store.connections.find(condition.connectionId)
    if (!caller.isPersonal || !stored) return 'forbidden'
    return () => stored.arrivals.lastHeard ?? undefined
  }
  const { streamId } = condition
  const node = store.streams.find(streamId)
  if (!node || isTrashed(node) || !caller.may('read', streamId)) return 'forbidden'
  return () => findLastEvent(call, { streamIds: [streamId] }, condition.for)
}

/** Events that are read at first, and at most: those that are messages of channels do not count. */
const [someEvents, maxEvents] = [50, 1000]

interface CountedEvents {
  readonly streamIds: readonly string[] | undefined
  readonly types?: readonly string[]
  readonly isMatch?: (event: Event) => boolean
}

/**
 * Returns the time of the last event that counts, in seconds, first searching the last `seconds`; `undefined` if there is none, and
 * {@link longAgo} if there are many others after it. Messages of channels do not count.
 */
function findLastEvent(
  call: RuleCall,
  { isMatch, streamIds, types }: CountedEvents,
  seconds: number
): number | undefined {
  const { now } = call
  const find = (limit: number, from?: number): number | undefined => {
    const steps = pickEvents(
      () => call,
      {
        streamIds,
        isOfOnePerson: true,
        ...(types && { types: types.flatMap(type => [type, `series:${type}`]) }),
        ...(from !== undefined && { from }),
        to: now,
        limit,
        maxLength: maxLengthAtOnce
      },
      event =>
        isChannelMessage(event) || isMatch?.(event) === false
          ? undefined
          : Math.min(now, event.time + (event.duration ?? 0))
    )
    const found = runSteps(steps) ?? []
    const times = found.filter(time => time !== undefined)
    if (times.length > 0) return Math.max(...times)
    return from === undefined && found.length > 0 ? longAgo : undefined
  }
  return find(someEvents, now - seconds) ?? find(maxEvents)
}

/** Returns a function that tests whether a note belongs to a measure: the notes of a stream may belong to another one. */
function createNoteTest(call: RuleCall, { id }: MeasureForm): (event: Event) => boolean {
  const scope = createMeasureScope(call, new KnownMeasures(call), undefined)
  return ({ streamIds, type }) => {
    const numbers = streamIds.flatMap(streamId => call.store.streams.find(streamId)?.number ?? [])
    return scope.findMeasure(numbers, type.replace(/^series:/, '')) === id
  }
}
