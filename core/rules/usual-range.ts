/** What is usual for a person: the median of 28 days, and how far the numbers are from it. (docs/api/rules.md#conditions) */
import { runSteps, type Steps } from '../../storage/steps.js'
import { describeMeasureScope } from '../measures/scope.js'
import { readHourlyMeans, type HourMean, type MeasuredStreams } from './readings.js'
import type { RuleCall } from './rule-call.js'
import type { NumberRange } from './judges.js'

/** Days that are compared. */
export const usualDays = 28
/** Days with data that are needed to say what is usual. */
const minDays = 7
const daySeconds = 86_400
/** Standard deviations of a normal distribution in one median absolute deviation. */
const deviationFactor = 1.4826
/** The spread is at least this share of the median: otherwise numbers that hardly differ would make every change unusual. */
const minSpread = 0.005
/** Spreads within which a number is usual. */
const spreads = 3

/** Returns the usual range of hourly means; `undefined` if there are too few days with data. */
export function computeUsualRange(hours: readonly HourMean[]): NumberRange | undefined {
  const days = new Set(hours.map(({ time }) => Math.floor(time / daySeconds)))
  if (days.size < minDays) return undefined
  const numbers = hours.map(({ mean }) => mean)
  const median = getMedian(numbers)
  const deviation = getMedian(numbers.map(number => Math.abs(number - median))) * deviationFactor
  const spread = Math.max(deviation, Math.abs(median) * minSpread) * spreads
  return { min: median - spread, max: median + spread }
}

/** Returns the median of `numbers`, which are not empty. */
function getMedian(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle]! : sorted[middle - 1]! / 2 + sorted[middle]! / 2
}

interface KnownRange {
  readonly streams: RuleCall['store']['streams']
  version: number
  /** Of the data that was read: see `describeMeasureScope`. */
  readonly scope: string
  readonly until: number
  readonly range: NumberRange | undefined
}

/** Usual ranges by access, measure and streams. */
const knownRanges = new WeakMap<object, Map<string, KnownRange>>()

/**
 * Returns the usual range until the end of the day (UTC): computed once a day, and again after changes of what the caller can read.
 * Returns `undefined` if there is too little data.
 */
export function findUsualRange(call: RuleCall, measured: MeasuredStreams): NumberRange | undefined {
  const known = findKnown(call, measured)
  return known ? known.range : runSteps(compute(call, measured))
}

/** Computes the usual range in steps, so that it is known; returns `undefined` if it is. The store has to stay open. */
export function prepareUsualRange(call: RuleCall, measured: MeasuredStreams): Steps<void> | undefined {
  return findKnown(call, measured) ? undefined : prepare(call, measured)
}

function* prepare(call: RuleCall, measured: MeasuredStreams): Steps<void> {
  yield* compute(call, measured)
}

/** Computes the usual range of a measure from its recent days, and caches it until the end of the day (UTC). */
function* compute(call: RuleCall, measured: MeasuredStreams): Steps<NumberRange | undefined> {
  const { caller, now, store } = call
  const { streams } = store
  const { version } = streams
  const scope = describeMeasureScope(call, measured.streams)
  const end = Math.floor(now / daySeconds) * daySeconds
  const range = computeUsualRange(
    yield* readHourlyMeans(call, { ...measured, from: end - usualDays * daySeconds, end })
  )
  const known = knownRanges.get(caller.access!) ?? new Map<string, KnownRange>()
  knownRanges.set(caller.access!, known)
  known.set(toKey(measured), { streams, version, scope, until: end + daySeconds, range })
  return range
}

function findKnown(call: RuleCall, measured: MeasuredStreams): KnownRange | undefined {
  const { caller, now, store } = call
  const found = knownRanges.get(caller.access!)?.get(toKey(measured))
  if (!found || found.streams !== store.streams || now >= found.until) return undefined
  const { version } = store.streams
  if (found.version === version) return found
  // Most changes of the tree are of names.
  if (describeMeasureScope(call, measured.streams) !== found.scope) return undefined
  found.version = version
  return found
}

function toKey({ measure, streams = [] }: MeasuredStreams): string {
  return [measure.id, ...streams].join(' ')
}
