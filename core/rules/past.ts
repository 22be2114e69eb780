/** Reads past data for the test of a rule, in slices, and lists when it would have fired. (docs/api/rules.md#testing-a-rule) */
import type { Event } from '../../schemas/event.js'
import type { Rule } from '../../schemas/rule.js'
import type { Steps } from '../../storage/steps.js'
import type { Call } from '../call/method.js'
import type { Reader } from '../call/reader.js'
import type { Listing } from '../json/json-text.js'
import { RunListing, type Items, type StartedRun } from '../measures/run-listing.js'
import { createWordTest, findSender, isChannelMessage, isFrom, noteTypes } from './event-watchers.js'
import { listLooks } from './look-watcher.js'
import { maxFirings, PastEpisodes, type PastSpan } from './past-episodes.js'
import { listPastRanges } from './past-ranges.js'
import { startPastTotals } from './past-totals.js'
import { pickEvents } from './read-events.js'
import { createJudge, findConditionMeasure, type ReadingCondition } from './reading-watcher.js'
import {
  collectNumbers,
  collectPositions,
  collectTimes,
  joinPositions,
  sortReadings,
  type Reading
} from './readings.js'
import { usualDays } from './usual-range.js'
import { createRuleCall, type RuleCall } from './rule-call.js'

/** Maximum number of events that are read for conditions on events. */
const maxEvents = 10_000
/** Maximum number of characters of their JSON. */
const maxLength = 100_000_000
/** Readings that are replayed without a pause. */
const readingsPerPause = 1000
const daySeconds = 86_400

/** Lists the firings, at most 200. Empty once the access of the rule has ended. */
export function listPast(call: Call, rule: Rule, span: PastSpan): Listing<Reader> | readonly never[] {
  const asRule = createRuleCall(call, rule)
  if (!asRule) return []
  const inner = new RunListing<unknown>(asRule, undefined, reading => startPast(reading, rule, span))
  return {
    next(reader) {
      const current = createRuleCall({ ...call, store: reader.store }, rule)
      if (!current) {
        inner.close()
        return { text: '', count: 0, done: true }
      }
      return inner.next({ ...reader, caller: current.caller })
    },
    close: () => inner.close()
  }
}

/** Starts reading the past of a rule, by the kind of its condition. */
function startPast(call: RuleCall, rule: Rule, span: PastSpan): StartedRun<unknown> {
  const { condition } = rule
  if (condition.kind === 'total') return startPastTotals(call, rule, span, listFirings)
  if (condition.kind === 'missing' && 'measure' in condition) {
    const measure = findConditionMeasure(call, condition)!
    const { readings, run } = collectTimes(call, {
      measure,
      streams: condition.streamIds,
      from: span.from - condition.for,
      end: span.to
    })
    return {
      run,
      finish: () =>
        replaySilence(
          rule,
          span,
          sortReadings(readings).map(({ time }) => time)
        )
    }
  }
  if (condition.kind in readingKinds) return startReadings(call, rule, span)
  const { run } = collectTimes(call, { measure: noMeasure, from: span.from, end: span.from })
  return { run, finish: getReader => replayEvents(() => ({ ...call, ...getReader() }), rule, span) }
}

const readingKinds = { above: true, below: true, changing: true, outside: true, place: true }
const noMeasure = { id: 'none', kind: 'level', types: [] } as const

/** Starts reading past values, from as long before the span as the condition looks back. */
function startReadings(call: RuleCall, rule: Rule, span: PastSpan): StartedRun<unknown> {
  const condition = rule.condition as ReadingCondition
  const measure = findConditionMeasure(call, condition)!
  const isUsual = condition.kind === 'outside' && condition.range === 'usual'
  const memory = isUsual ? (usualDays + 1) * daySeconds : condition.kind === 'changing' ? condition.within : 0
  const range = { measure, from: span.from - memory, end: span.to }
  if (condition.kind === 'place') {
    const latitudes = collectPositions(call, range, 'latitude')
    return {
      run: latitudes.run,
      *finish(getReader) {
        const longitudes = collectPositions(call, range, 'longitude')
        while (getReader().store.measures.next(longitudes.run) === undefined) yield
        const positions = yield* pause(joinPositions(latitudes.readings, longitudes.readings))
        yield* replayReadings(rule, span, positions)
      }
    }
  }
  const unit = 'unit' in condition ? condition.unit : undefined
  const streams = 'streamIds' in condition ? condition.streamIds : undefined
  const { readings, run } = collectNumbers(call, { ...range, streams, unit })
  return { run, finish: () => replayReadings(rule, span, sortReadings(readings)) }
}

/** Replays past values in order, and yields when the rule would have fired. */
function* replayReadings(rule: Rule, { from, to }: PastSpan, readings: readonly Reading[]): Items {
  const condition = rule.condition as ReadingCondition
  const ranges = condition.kind === 'outside' ? listPastRanges(condition, readings) : undefined
  const judge = createJudge(condition, time => ranges?.(time))
  const past = new PastEpisodes(rule, from)
  let isPlaced = condition.kind !== 'place'
  let count = 0
  for (const reading of readings) {
    if (++count % readingsPerPause === 0) yield
    const verdict = judge.judge(reading)
    if (reading.time < from) continue
    if (past.isFull) break
    if (isPlaced) past.step(reading.time, verdict)
    else if (verdict !== 'between') {
      isPlaced = true
      if (verdict === 'met') past.beginUntold()
    }
  }
  past.advance(to)
  yield* listFirings(past)
}

/**
 * Replays the times of data for a rule about missing data, and yields when it would have fired. `times`: ascending, in
 * seconds.
 */
function* replaySilence(rule: Rule, { from, to }: PastSpan, times: readonly number[]): Items {
  const past = new PastEpisodes(rule, from)
  // Without data before, the silence begins with the range.
  past.restart(times.findLast(time => time < from) ?? from)
  let count = 0
  for (const time of times) {
    if (++count % readingsPerPause === 0) yield
    if (past.isFull) break
    if (time >= from) past.restart(time)
  }
  past.advance(to)
  yield* listFirings(past)
}

/** Replays conditions on events and on the audit. */
function* replayEvents(getCall: () => RuleCall, rule: Rule, span: PastSpan): Items {
  const { condition } = rule
  const { from, to } = span
  if (condition.kind === 'missing') {
    const streamIds = 'streamId' in condition ? [condition.streamId] : []
    const request = { streamIds, from: from - condition.for, to, limit: maxEvents, maxLength }
    const times = yield* pause(
      pickEvents(getCall, request, event =>
        isChannelMessage(event) ? [] : [event.time, Math.min(to, event.time + (event.duration ?? 0))]
      )
    )
    yield* replaySilence(
      rule,
      span,
      (times ?? []).flat().toSorted((a, b) => a - b)
    )
    return
  }
  const past = new PastEpisodes(rule, from)
  for (const time of yield* pause(listMoments(getCall, rule, span))) {
    if (past.isFull) break
    past.happen(time)
  }
  past.advance(to)
  yield* listFirings(past)
}

/** Runs steps as a part of the items. */
function* pause<T>(steps: Steps<T>): Generator<undefined, T, void> {
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
    yield
  }
}

/** Lists the times at which the condition on events was met, ascending; in steps. */
function* listMoments(getCall: () => RuleCall, rule: Rule, { from, to }: PastSpan): Steps<number[]> {
  const { condition } = rule
  if (condition.kind === 'looked') {
    const times: number[] = []
    for (const { looks } of listLooks(getCall, rule, { after: from, until: to })) {
      times.push(...looks.map(({ time }) => time))
      if (times.length >= maxFirings) break
      yield
    }
    return times
  }
  const isWords = condition.kind === 'words'
  const sender = condition.kind === 'arrived' ? findSender(getCall(), condition) : undefined
  const hasWord = isWords ? createWordTest(condition.anyOf) : undefined
  const isMatch = (event: Event): boolean =>
    !isChannelMessage(event) &&
    event.time >= from &&
    (hasWord ? hasWord(event) : sender !== undefined && isFrom(event.modifiedBy, sender))
  const times = yield* pickEvents(
    getCall,
    {
      streamIds: isWords ? condition.streamIds : undefined,
      ...(isWords && { types: noteTypes }),
      from,
      to,
      limit: maxEvents,
      maxLength
    },
    event => (isMatch(event) ? event.time : undefined)
  )
  return (times ?? []).filter(time => time !== undefined).toSorted((a, b) => a - b)
}

/** Yields the JSON of each firing, at most {@link maxFirings}. Keys are their positions. */
function* listFirings({ firings }: PastEpisodes): Items {
  for (const [key, firing] of firings.slice(0, maxFirings).entries())
    yield { key, text: JSON.stringify(firing) }
}
