/** Reads what a rule watches, as its access sees it. Each function reads without interruption: ranges are short. */
import type { MeasuredContent } from '../../storage/measures/contents-run.js'
import type { MeasuredType } from '../../storage/measures/measured-type.js'
import type { MeasureRun } from '../../storage/measures/reading.js'
import { mapInSteps, runSteps, sortInSteps, type Steps } from '../../storage/steps.js'
import type { Call } from '../call/method.js'
import { createPartGrid } from '../measures/grids.js'
import { startDays } from '../measures/day-values.js'
import { KnownMeasures, type MeasureForm } from '../measures/known-measures.js'
import { readPath } from '../measures/latest.js'
import { mergeLevels } from '../measures/merge-levels.js'
import { readOwn } from '../measures/read-own.js'
import type { Items, StartedRun } from '../measures/run-listing.js'
import { createMeasureScope, listMeasuredTypes } from '../measures/scope.js'
import { startValues } from '../measures/values.js'

/** A number at a time, or a position. */
export interface Reading {
  /** In seconds. */
  readonly time: number
  readonly value: number
  /** Of a position, whose `value` is the latitude. */
  readonly longitude?: number
}

/** A measure, and the streams whose data counts. */
export interface MeasuredStreams {
  readonly measure: MeasureForm
  /** All that lists contain by default. */
  readonly streams?: readonly string[] | undefined
}

/** What to read of a measure. */
export interface ReadingsRequest extends MeasuredStreams {
  /** Event type in which numbers are given; by default the first of the measure. */
  readonly unit?: string | undefined
  readonly from: number
  /** Excluded. */
  readonly end: number
}

/** Maximum number of readings that are kept of one range. */
export const maxReadings = 200_000

/** A read that collects readings. */
export interface CollectedReadings {
  readonly run: MeasureRun<true>
  /** Complete once the run is. */
  readonly readings: Reading[]
  isTruncated: boolean
}

/** Starts to collect numbers, at most 200 000. Of a pair, the first number counts. */
export function collectNumbers(call: Call, request: ReadingsRequest): CollectedReadings {
  const { measure, unit = measure.types[0]! } = request
  return collect(call, request, listMeasuredTypes(call, measure, unit), readNumber)
}

/** Starts to collect positions: of points, only one coordinate (`latitude`, `longitude`), as `value`. */
export function collectPositions(
  call: Call,
  request: ReadingsRequest,
  coordinate: 'latitude' | 'longitude'
): CollectedReadings {
  const types = listMeasuredTypes(call, request.measure, undefined)
  return collect(
    call,
    request,
    types.map(type => ({ ...type, fields: [coordinate] })),
    content => readCoordinates(content, coordinate)
  )
}

/** Starts to collect the times of data, whatever its contents. */
export function collectTimes(call: Call, request: ReadingsRequest): CollectedReadings {
  return collect(call, request, listMeasuredTypes(call, request.measure, undefined), () => ({ value: 0 }))
}

/**
 * Joins the coordinates of positions in steps, in the order of their times. Latitudes without a longitude are left
 * out.
 */
export function* joinPositions(
  latitudes: readonly Reading[],
  longitudes: readonly Reading[]
): Steps<readonly Reading[]> {
  const byTime = new Map<number, number>()
  yield* mapInSteps(longitudes, ({ longitude, time, value }) => byTime.set(time, longitude ?? value))
  const joined = yield* mapInSteps(latitudes, reading => ({
    ...reading,
    longitude: reading.longitude ?? byTime.get(reading.time) ?? NaN
  }))
  return yield* sortInSteps(
    joined.filter(({ longitude }) => !Number.isNaN(longitude)),
    (a, b) => a.time - b.time
  )
}

/** Readings in the order of their times. */
export interface FoundReadings {
  readonly readings: readonly Reading[]
  /** Whether there are more than were asked for: then these are some of them, from any part of the range. */
  readonly hasMore: boolean
}

/** Reads numbers. Stops once there are more than `limit`. */
export function readNumbers(call: Call, request: ReadingsRequest, limit: number): FoundReadings {
  const { hasMore, readings } = finishReadings(call, collectNumbers(call, request), limit)
  return { readings: sortReadings(readings), hasMore }
}

/** Reads positions. Stops once there are more than `limit`. */
export function readPositions(call: Call, request: ReadingsRequest, limit: number): FoundReadings {
  const latitudes = finishReadings(call, collectPositions(call, request, 'latitude'), limit)
  const longitudes = finishReadings(call, collectPositions(call, request, 'longitude'), limit)
  const readings = runSteps(joinPositions(latitudes.readings, longitudes.readings))
  return { readings, hasMore: latitudes.hasMore || longitudes.hasMore }
}

function finishReadings(call: Call, { readings, run }: CollectedReadings, limit: number): FoundReadings {
  while (call.store.measures.next(run) === undefined)
    if (readings.length > limit) return { readings, hasMore: true }
  return { readings, hasMore: readings.length > limit }
}

/** Sorts readings by time. */
export function sortReadings(readings: readonly Reading[]): Reading[] {
  return readings.toSorted((a, b) => a.time - b.time)
}

/** Returns the time of the last data of a measure, in seconds; `undefined` if there is none. */
export function findLast(call: Call, { measure, streams }: MeasuredStreams): number | undefined {
  const scope = createMeasureScope(call, new KnownMeasures(call), streams)
  const types = new Set(measure.types)
  const run = call.store.measures.createFacts({ scope, isRequested: type => types.has(type) })
  let last: number | undefined
  for (const fact of finishRun(call, run))
    if (fact.measure === measure.id) last = Math.max(last ?? -Infinity, fact.last)
  return last
}

/** What {@link findLastBefore} returns for data that is older than what was searched. */
export const longAgo = 0
/** Seconds by which clocks of devices may be ahead. */
export const maxAhead = 300
/** Ranges that are searched, in seconds: data is more likely to be recent. */
const searched = [60, 3600, 86_400]

/**
 * Returns the time of the last data of a measure as {@link findLast} does, but ignores data of the future: a
 * device with a wrong clock must not end a silence. If there is some, only the last `seconds` are searched
 * for other data. Returns {@link longAgo} if nothing is found there.
 */
export function findLastBefore(call: Call, measured: MeasuredStreams, seconds: number): number | undefined {
  const last = findLast(call, measured)
  if (last === undefined || last <= call.now + maxAhead) return last
  for (const range of [...searched.filter(each => each < seconds), seconds]) {
    const { readings, run } = collectTimes(call, {
      ...measured,
      from: call.now - range,
      end: call.now + maxAhead
    })
    finishRun(call, run)
    if (readings.length > 0) return readings.reduce((latest, { time }) => Math.max(latest, time), 0)
  }
  return longAgo
}

/** Returns the total of a measure in a range. 0 without data. */
export function readTotal(call: Call, { end, from, measure, streams, unit }: ReadingsRequest): number {
  const started = startDays(call, {
    measure,
    streams,
    unit,
    days: { starts: [from, end] },
    format: ({ value }) => JSON.stringify(value ?? 0)
  })
  return finishItems(call, started).reduce((sum, text) => sum + Number(text), 0)
}

/** Reads the mean of each hour that has data, in a range, in no particular order. Pauses after some milliseconds. */
export function* readHourlyMeans(
  call: Call,
  { end, from, measure, streams }: ReadingsRequest
): Steps<HourMean[]> {
  const hours = Math.round((end - from) / hourSeconds)
  const means: HourMean[] = []
  const started = startValues(
    call,
    { measure, streams, grid: createPartGrid(from, end, hours) },
    function* (sources): Items {
      for (const [hour, { numbers }] of yield* mergeLevels(sources)) {
        const mean = numbers?.[0]?.mean
        if (mean !== undefined) means.push({ time: from + hour * hourSeconds, mean })
      }
    }
  )
  for (;;) {
    const result = call.store.measures.next(started.run)
    if (result !== undefined) {
      for (const _ of started.finish(() => call, result)) continue
      return means
    }
    yield
  }
}

/**
 * Returns the lowest and the highest number in a range, of all sources; `undefined` if there is none. Points of series are not read one
 * by one. Not for measures that add up: their numbers are spread over time.
 */
export function readExtremes(
  call: Call,
  { end, from, measure, streams, unit }: ReadingsRequest
): { readonly min: number; readonly max: number } | undefined {
  let [min, max] = [Infinity, -Infinity]
  const started = startValues(
    call,
    { measure, streams, unit, grid: { starts: [from], end } },
    function* (sources): Items {
      for (const { values } of sources) {
        yield undefined
        for (const cell of values[0]?.cells.values() ?? []) {
          min = Math.min(min, cell.min)
          max = Math.max(max, cell.max)
        }
      }
    }
  )
  finishItems(call, started)
  return min <= max ? { min, max } : undefined
}

const hourSeconds = 3600

/** The mean of the numbers in an hour. */
export interface HourMean {
  readonly time: number
  readonly mean: number
}

type ReadContent = (content: unknown, type: MeasuredType) => Omit<Reading, 'time'> | undefined

/** Prepares reading the values of a measure into a list: it is filled while the run proceeds, up to `maxReadings`. */
function collect(
  call: Call,
  { end, from, measure, streams }: ReadingsRequest,
  types: readonly MeasuredType[],
  readContent: ReadContent
): CollectedReadings {
  const readings: Reading[] = []
  const take = ({ content, time, type }: MeasuredContent): void => {
    if (readings.length >= maxReadings) {
      collected.isTruncated = true
      return
    }
    const found = readContent(content === undefined ? undefined : JSON.parse(content), type)
    if (found) readings.push({ time, ...found })
  }
  const scope = createMeasureScope(call, new KnownMeasures(call), streams)
  const run = call.store.measures.createReadings({ scope, measure: measure.id, types, from, end, take })
  const collected: CollectedReadings = { run, readings, isTruncated: false }
  return collected
}

/** Reads the number in a content; `undefined` if there is none. */
export function readNumber(
  content: unknown,
  { convert, fields }: MeasuredType
): { value: number } | undefined {
  const [field] = fields
  const found = typeof content === 'number' || field === undefined ? content : readPath(content, field)
  return typeof found === 'number' ? { value: convert(found) } : undefined
}

function readCoordinates(
  content: unknown,
  coordinate: 'latitude' | 'longitude'
): Omit<Reading, 'time'> | undefined {
  if (typeof content === 'number') return { value: content }
  const [latitude, longitude] = [readOwn(content, 'latitude'), readOwn(content, 'longitude')]
  if (typeof latitude !== 'number' || typeof longitude !== 'number') return undefined
  return { value: coordinate === 'latitude' ? latitude : longitude, longitude }
}

/** Completes a run. */
function finishRun<T>(call: Call, run: MeasureRun<T>): T {
  for (;;) {
    const result = call.store.measures.next(run)
    if (result !== undefined) return result
  }
}

function finishItems<T>(call: Call, started: StartedRun<T>): string[] {
  const result = finishRun(call, started.run)
  return Array.from(
    started.finish(() => call, result),
    item => item?.text
  ).filter(text => text !== undefined)
}
