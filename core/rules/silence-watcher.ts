/** Watches for data that does not come: `missing`. (docs/api/rules.md#conditions) */
import type { ConditionOf, RuleProblem } from '../../schemas/rule.js'
import { channelKey } from '../channels/account-messages.js'
import { readOwn } from '../measures/read-own.js'
import { isTrashed } from '../streams/tree.js'
import { runSteps } from '../../storage/steps.js'
import { maxLengthAtOnce, pickEvents } from './read-events.js'
import { findConditionMeasure } from './reading-watcher.js'
import { findLastBefore, longAgo } from './readings.js'
import { mayReadAll, type RuleCall, type Watcher } from './rule-call.js'

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
        return
      }
      const time = found === longAgo ? Math.min(seenTo!, now - condition.for) : Math.min(found, now)
      if (time === seenTo && !isIdle) return
      state.seenTo = time
      if (isIdle || seenTo === undefined || time > seenTo) return episodes.restart(time, { now, cause: time })
      // The last data was changed or removed: the silence is longer.
      episodes.correct({ time, cause: time }, now)
      if (state.isFiring) episodes.setCause({ cause: time })
    }
  }
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
  return () => findLastInStream(call, streamId, condition.for)
}

/** Events that are read: those that are messages of channels do not count. */
const maxEvents = 50

/**
 * Returns the time of the last data in a stream, in seconds, first searching the last `seconds`; `undefined`
 * if there is none. Messages of channels do not count.
 */
function findLastInStream(call: RuleCall, streamId: string, seconds: number): number | undefined {
  const { now } = call
  const find = (from?: number): number | undefined => {
    const steps = pickEvents(
      () => call,
      {
        streamIds: [streamId],
        ...(from !== undefined && { from }),
        to: now,
        limit: maxEvents,
        maxLength: maxLengthAtOnce
      },
      ({ clientData, duration, time }) =>
        readOwn(clientData, channelKey) === undefined ? Math.min(now, time + (duration ?? 0)) : undefined
    )
    const times = (runSteps(steps) ?? []).filter(time => time !== undefined)
    return times.length === 0 ? undefined : Math.max(...times)
  }
  return find(now - seconds) ?? find()
}
