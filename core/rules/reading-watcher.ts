/** Watches numbers and positions: `above`, `below`, `outside`, `changing`, `place`. (docs/api/rules.md#conditions) */
import { findMeasure } from '../../schemas/measures/catalogue.js'
import { maxLag, type Condition, type ConditionOf, type Rule, type RuleProblem } from '../../schemas/rule.js'
import type { Steps } from '../../storage/steps.js'
import type { Call } from '../call/method.js'
import { KnownMeasures, type MeasureForm } from '../measures/known-measures.js'
import type { Cause, Episodes, Verdict } from './episodes.js'
import {
  createChangeJudge,
  createPlaceJudge,
  createRangeJudge,
  createThresholdJudge,
  findStanding,
  type Judge,
  type NumberRange
} from './judges.js'
import {
  maxAhead,
  readExtremes,
  readNumbers,
  readPositions,
  type FoundReadings,
  type Reading
} from './readings.js'
import { findUsualRange, prepareUsualRange } from './usual-range.js'
import { asUser, createRuleCall, mayReadAll, type RuleCall, type Watcher } from './rule-call.js'

/** Conditions on readings. */
export type ReadingCondition = ConditionOf<'above' | 'below' | 'changing' | 'outside' | 'place'>

/** The measure of positions. */
const positionMeasure = 'position'
/** Times of points are sums, so they may differ by a rounding error. */
const tolerance = 1e-6
/** Maximum number of readings that are read to correct what holds: some milliseconds. */
const maxCorrected = 10_000
/** Maximum number of new readings that are judged at once: some milliseconds. */
const maxAtOnce = 20_000
/** Seconds of which at most so many are judged. */
const minSpan = 0.01
/** Of very many readings before, so many seconds are read, or four times as many as long as they are not too many. */
const firstMemory = 60
/** Ranges of so many seconds, or with more than {@link maxCorrected} readings, are worth a read of their extremes instead of their readings. */
const minMiddle = 3600

/**
 * Returns the watcher of readings, or why there is none. Readings that arrive too late are passed over, and
 * the first position never begins an episode with a message.
 */
export function watchReadings(call: RuleCall, condition: ReadingCondition): Watcher | RuleProblem {
  const measure = findConditionMeasure(call, condition)
  if (!measure) return 'unknown-measure'
  const streams = 'streamIds' in condition ? condition.streamIds : undefined
  if (!mayReadAll(call, streams)) return 'forbidden'
  const range = condition.kind === 'outside' ? findRange(call, condition, measure) : undefined
  if (condition.kind === 'outside' && !range) return 'no-range'
  const unit = 'unit' in condition ? condition.unit : undefined
  const readAs = (reader: RuleCall, from: number, end: number, limit: number): FoundReadings =>
    condition.kind === 'place'
      ? readPositions(reader, { measure, from, end }, limit)
      : readNumbers(reader, { measure, streams, unit, from, end }, limit)
  const read = (from: number, end: number, limit: number): FoundReadings => readAs(call, from, end, limit)
  /**
   * Reads what readings from `from` on are compared with: those of `memory` seconds before. Of what is before all of them, only the
   * lowest or highest counts. Of the amounts of a measure that adds up, only the last are read if they are very many.
   */
  const readMemory = (
    judged: readonly Reading[],
    from: number,
    memory: number,
    limit: number
  ): FoundReadings => {
    if (memory === 0 || judged.length === 0) return { readings: [], hasMore: false }
    const start = judged[0]!.time - memory
    const middle = judged.at(-1)!.time - memory
    if (measure.kind === 'sum') return readLast(start, from, limit)
    if (middle >= from) return read(start, from, limit)
    const all = from - middle < minMiddle ? read(start, from, maxCorrected) : undefined
    if (all?.hasMore === false) return all
    const { hasMore, readings } = read(start, middle, limit)
    const extremes = hasMore
      ? undefined
      : readExtremes(call, { measure, streams, unit, from: middle, end: from })
    if (!extremes) return { readings, hasMore }
    const value = condition.kind === 'changing' && condition.direction === 'up' ? extremes.min : extremes.max
    return { readings: [...readings, { time: middle, value }], hasMore }
  }
  /** Reads a range, or if it has more than `limit` readings, a part of it at its end. */
  const readLast = (from: number, end: number, limit: number): FoundReadings => {
    let found = read(from, end, limit)
    if (!found.hasMore) return found
    found = { readings: [], hasMore: false }
    for (let span = firstMemory; span < end - from; span *= 4) {
      const longer = read(end - span, end, limit)
      if (longer.hasMore) break
      found = longer
    }
    return found
  }
  /** Reads what is to be judged, after what it is compared with; `undefined` if that is more than is read to correct what holds. */
  const readToCorrect = (from: number, memory: number): readonly Reading[] | undefined => {
    const { hasMore, readings } = read(from, call.now + maxAhead, maxCorrected)
    if (hasMore) return undefined
    const before = readMemory(readings, from, memory, maxCorrected)
    return before.hasMore ? undefined : [...before.readings, ...readings]
  }
  /** Reads what is new, or the first part of it, after what it is compared with; and where it ends. */
  const readNext = (
    from: number,
    memory: number,
    end: number
  ): { readonly readings: readonly Reading[]; readonly end: number } => {
    const { hasMore, readings } = read(from, end, maxAtOnce)
    const before = hasMore ? undefined : readMemory(readings, from, memory, maxAtOnce)
    if (before?.hasMore === false) return { readings: [...before.readings, ...readings], end }
    // Of what is within moments, the rest is passed over.
    if (end - from <= minSpan) return { readings: [...(before?.readings ?? []), ...readings], end }
    return readNext(from, memory, Math.max(getMiddle(readings), from + minSpan))
  }
  const readAt = (time: number, reader = call): readonly Reading[] =>
    readAs(reader, time - 1000 * tolerance, time + 1000 * tolerance, maxCorrected).readings
  const isReadableAt = (time: number): boolean => readAt(time).length > 0
  const hold = 'for' in condition ? (condition.for ?? 0) : 0
  const lag = Math.max(maxLag, hold)
  const toCause = ({ time, value }: Reading): { time: number; cause: number; value?: number } => ({
    time,
    cause: time,
    ...(condition.kind !== 'place' && { value })
  })
  /** Numbers that were passed over count as seen if the access can read them. */
  const notePassed = (state: { seenTo?: number }, times: readonly number[]): void => {
    const limit = call.now + maxAhead
    for (const time of times.toSorted((a, b) => b - a)) {
      if (time <= (state.seenTo ?? -Infinity)) return
      if (time >= limit || !isReadableAt(time)) continue
      state.seenTo = time
      return
    }
  }
  /** Corrects what holds by the readings as they stand now. */
  const correct = (episodes: Episodes, now: number): void => {
    const { activeFrom, cause, firedAt, holdsSince, isFiring, isPlaced, seenTo, tellAt } = episodes.state
    if (seenTo === undefined || (condition.kind === 'place' && !isPlaced)) return
    const start = isFiring ? (cause ?? -Infinity) : (holdsSince ?? (firedAt ?? now) - hold)
    const base = Math.max(activeFrom, Math.min(Number(start), now - lag) - tolerance) + tolerance
    const standing = findStanding({
      read: readToCorrect,
      createJudge: () => createJudge(condition, () => range),
      base,
      hold,
      isFiring,
      now
    })
    if (!standing) return
    const { last, since } = standing
    // What is new counts only if it is recent, as any number does; a firing that was not over goes on, whenever it began.
    const isIdle = !isFiring && holdsSince === undefined
    const isNew = isIdle && since !== undefined && firedAt !== since.time + hold
    const counts = !isNew || (last === 'met' && since.time >= now - lag)
    const isHidden =
      isFiring &&
      !call.caller.isPersonal &&
      typeof cause === 'number' &&
      !isReadableAt(cause) &&
      readAt(cause, asUser(call)).length > 0
    episodes.correct(since && counts ? toCause(since) : undefined, now, { isHidden })
    if (!isFiring || !since || tellAt === undefined || typeof cause !== 'number') return
    const [found = since] = readAt(cause)
    episodes.setCause(toCause(found))
  }
  /** Whether what a rule waits for still begins with a reading: it may have been replaced by the one that is new. */
  const isStillCause = (cause: Cause['cause']): boolean => {
    if (typeof cause !== 'number' || cause < call.now - lag) return true
    const judge = createJudge(condition, () => range)
    return readAt(cause).some(reading => judge.memory > 0 || judge.judge(reading) !== 'over')
  }
  let hasMore = false
  return {
    get hasMore() {
      return hasMore
    },
    isReadable: ({ cause }) => typeof cause === 'number' && isReadableAt(cause),
    feed(episodes, { now, passed, since }) {
      const { state } = episodes
      const goesOn = state.isFiring || state.holdsSince !== undefined
      const begun = goesOn ? state.cause : undefined
      const judge = createJudge(condition, () => range)
      let last: Verdict | undefined
      notePassed(state, passed)
      const from = Math.max(state.seenTo ?? -Infinity, state.activeFrom, since - lag) + tolerance
      const next = readNext(from, judge.memory, now + maxAhead)
      hasMore = next.end < now + maxAhead
      for (const reading of next.readings) {
        const verdict = judge.judge(reading)
        if (reading.time < from) continue
        state.seenTo = reading.time
        last = verdict
        const { time, ...cause } = toCause(reading)
        // The first position is where the person is, not where they have gone.
        if (condition.kind === 'place' && verdict !== 'between' && !state.isPlaced) {
          state.isPlaced = true
          if (verdict === 'met') episodes.beginUntold()
        } else episodes.step(time, verdict, { now, ...cause })
      }
      if (hasMore) {
        state.seenTo = Math.max(state.seenTo ?? -Infinity, next.end - tolerance)
        return
      }
      // Without a new reading that says enough, one may have been changed or removed.
      if (last === undefined || last === 'between' || (last === 'met' && !isStillCause(begun)))
        correct(episodes, now)
    }
  }
}

/** Returns the time of the reading in the middle of very many. */
function getMiddle(readings: readonly Reading[]): number {
  return readings[Math.floor(readings.length / 2)]!.time
}

/** Returns the measure of a condition; `undefined` if the caller knows no such measure. */
export function findConditionMeasure(call: RuleCall, condition: Condition): MeasureForm | undefined {
  if (condition.kind === 'place') return findMeasure(positionMeasure)
  return 'measure' in condition ? new KnownMeasures(call).find(condition.measure) : undefined
}

/** Creates the judge of a condition. `getRange` returns the range of `outside` at a time. */
export function createJudge(
  condition: ReadingCondition,
  getRange: (time: number) => NumberRange | undefined
): Judge {
  switch (condition.kind) {
    case 'above':
    case 'below':
      return createThresholdJudge(condition)
    case 'changing':
      return createChangeJudge(condition)
    case 'place':
      return createPlaceJudge(condition)
    default:
      return createRangeJudge(getRange)
  }
}

/** Returns the range of plausible values of a measure; `undefined` if it has none. */
export function findPlausibleRange({ id }: Pick<MeasureForm, 'id'>): NumberRange | undefined {
  const [min, max] = findMeasure(id)?.plausible ?? []
  return min === undefined || max === undefined ? undefined : { min, max }
}

/** Returns the range that is plausible or usual; `undefined` if there is none. */
function findRange(
  call: RuleCall,
  { range, streamIds: streams }: ConditionOf<'outside'>,
  measure: MeasureForm
): NumberRange | undefined {
  return range === 'plausible' ? findPlausibleRange(measure) : findUsualRange(call, { measure, streams })
}

/**
 * Computes the usual range of a rule in turns of the event loop, so that its evaluation need not; returns `undefined` if it needs none, or
 * if that is known. `call`: of the service.
 */
export function prepareRange(call: Call, rule: Rule): Steps<void> | undefined {
  const { condition } = rule
  if (condition.kind !== 'outside' || condition.range !== 'usual') return undefined
  const asRule = createRuleCall(call, rule)
  const measure = asRule && findConditionMeasure(asRule, condition)
  const { streamIds: streams } = condition
  if (!measure || !mayReadAll(asRule, streams)) return undefined
  return prepareUsualRange(asRule, { measure, streams })
}
