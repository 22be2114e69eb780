/** Reads the data of lanes in the resolution of their pixels. Times are in seconds. */
import type { Event, Sample } from '../data/model.js'
import { getConversion } from '../data/units.js'
import type { LaneData, Mark, MarkIcon, Part, SleepPeriod } from './lane-data.js'
import type { LanePlan } from './plan-lane.js'
import { countParts, type Grid, type LoadRequest } from './load-request.js'
import {
  getDate,
  getGridZone,
  isOfMeasure,
  loadMeasure,
  readDays,
  readLatestDays,
  sampleMeasure,
  toTotals,
  withLatest,
  type MeasureDays,
  type MeasureSamples
} from './load-measure.js'
import { loadSeries } from './load-series.js'

/** Above this number, events are only counted. Nights have more, because each has several periods. */
const maxMarks = 300
const maxPeriods = 1500
/** Longest view, in seconds, for which the totals of nights are read. */
const maxTotalsView = 3650 * 86_400
/** Seconds from the beginning of a night's first period to the date on which the night ends: nights are from noon to noon. */
const halfDay = 43_200

/**
 * Reads the data of a lane: single events, or samples or densities where there are too many. Rejects with a
 * `Refusal`, or if it is cancelled.
 */
export async function loadLane(loading: LoadRequest): Promise<LaneData> {
  const { kind, types } = loading.plan
  if (isOfMeasure(loading.plan) && (kind === 'series' || kind === 'numbers'))
    return await loadMeasure(loading)
  if (kind === 'series') return convertUnits(await loadSeries(loading), types[0]!)
  if (kind === 'numbers') return convertUnits(await loadNumbers(loading), types[0]!)
  if (kind === 'pairs') return await loadPairs(loading)
  if (kind === 'nights') return await loadNights(loading)
  return await loadMarks(loading)
}

/** Converts data to the display unit. */
function convertUnits(data: LaneData, type: string): LaneData {
  const convert = getConversion(type)
  if (!convert || data.kind !== 'band') return data
  const parts = data.parts.map(({ count, max, mean, min, time }) => {
    const [one, other] = [convert(min), convert(max)]
    return { time, count, min: Math.min(one, other), max: Math.max(one, other), mean: convert(mean) }
  })
  return { ...data, parts }
}

/** Reads the numbers of a lane as a band: minimum, maximum and mean of each part of the view. */
async function loadNumbers({ client, grid, plan, signal }: LoadRequest): Promise<LaneData> {
  const [{ samples }] = await client.batchStrict<[Samples]>([sampleCall(plan, grid)], signal)
  const isAmount = plan.types[0]!.startsWith('count/')
  return { kind: 'band', parts: samples.flatMap(toPart), step: grid.step, ...(isAmount ? { isAmount } : {}) }
}

/** Reads blood pressures: each one, or means by part if there are too many. */
async function loadPairs(loading: LoadRequest): Promise<LaneData> {
  const { client, grid, plan, signal } = loading
  if (isOfMeasure(plan)) return await loadMeasuredPairs(loading)
  const [{ events }, upper, lower] = await client.batchStrict<[Events, Samples, Samples]>(
    [
      getCall(plan, grid, maxMarks + 1),
      sampleCall(plan, grid, { field: 'systolic' }),
      sampleCall(plan, grid, { field: 'diastolic' })
    ],
    signal
  )
  if (events.length <= maxMarks) return { kind: 'pairs', bars: toBars(events), step: 0 }
  const lows = new Map(lower.samples.map(sample => [sample.time, sample.mean]))
  const bars = upper.samples.flatMap(({ count, mean, time }) => {
    const low = lows.get(time)
    return mean === undefined || low === undefined ? [] : [{ time, low, high: mean, count }]
  })
  return { kind: 'pairs', bars, step: grid.step }
}

/** Reads single readings of all sources, or means of the preferred one if there are many. */
async function loadMeasuredPairs({ client, grid, plan, signal, zones }: LoadRequest): Promise<LaneData> {
  if (!isOfMeasure(plan)) throw new Error('Not the lane of a measure')
  const sample = sampleMeasure(plan, grid, countParts(grid), zones)
  const [{ events }, { samples }] = await client.batchStrict<[Events, MeasureSamples]>(
    [getCall(plan, grid, maxMarks + 1), sample],
    signal
  )
  if (events.length <= maxMarks) return { kind: 'pairs', bars: toBars(events), step: 0 }
  const bars = samples.flatMap(({ count, mean, time }) => {
    const [high, low] = Array.isArray(mean) ? (mean as readonly (number | null)[]) : []
    return typeof high === 'number' && typeof low === 'number' ? [{ time, low, high, count }] : []
  })
  return { kind: 'pairs', bars, step: grid.step }
}

function toBars(events: readonly Event[]) {
  const bars = events.flatMap(({ content, time }) => {
    const { systolic, diastolic } = (content ?? {}) as Readonly<Record<string, unknown>>
    return typeof systolic === 'number' && typeof diastolic === 'number'
      ? [{ time, low: diastolic, high: systolic, count: 1 }]
      : []
  })
  return sortByTime(bars)
}

/** Reads nights: their periods, or only how much there is if there are too many. */
async function loadNights({ client, grid, plan, signal, zones }: LoadRequest): Promise<LaneData> {
  // With many nights, only the time in bed is visible.
  const isLong = grid.to - grid.from > 100 * 86_400
  const inBed = { content: [{ path: 'analysis', eq: 'inBed' }] }
  const read = getCall(plan, grid, maxPeriods + 1, isLong ? inBed : {})
  const calls = [read, sampleCall(plan, coarsen(grid))]
  const hasTotals = isOfMeasure(plan) && grid.to - grid.from < maxTotalsView
  const zone = getGridZone(grid, zones)
  const totals = hasTotals ? [readDays(plan, grid.from, grid.to, zone), readLatestDays(plan, zones)] : []
  const [{ events }, { samples }, days, latest] = await client.batchStrict<
    [Events, Samples, MeasureDays?, MeasureDays?]
  >([...calls, ...totals], signal)
  if (events.length > maxPeriods || (isLong && events.length === 0)) return toDensity(samples, coarsen(grid))
  if (!days || !latest) return { kind: 'nights', periods: sortByTime(events).flatMap(toPeriod) }
  const sources = new Map(days.days.map(({ day, source }) => [day, source]))
  return {
    kind: 'nights',
    periods: sortByTime(events.filter(event => isOfSource(event, sources, zone))).flatMap(toPeriod),
    totals: toTotals(days.days),
    ...withLatest(latest.days)
  }
}

/** Returns whether a period is of the source from which its night is counted: other devices have recorded the same night. */
function isOfSource({ streamIds, time }: Event, sources: ReadonlyMap<string, string>, zone: string): boolean {
  const source = sources.get(getDate(time + halfDay, zone))
  return source === undefined || streamIds.includes(source)
}

/** Reads the events of a lane as marks, or only how many there are if there are too many. */
async function loadMarks({ client, grid, plan, signal }: LoadRequest): Promise<LaneData> {
  const coarseGrid = coarsen(grid)
  // A sample of mixed types would count only the numbers.
  const others = plan.types.filter(type => !plan.numeric.includes(type))
  const counts = [others, plan.numeric]
    .filter(types => types.length > 0)
    .map(types => sampleCall({ ...plan, types }, coarseGrid))
  const [{ events }, ...counted] = await client.batchStrict<[Events, ...Samples[]]>(
    [getCall(plan, grid, maxMarks + 1), ...counts],
    signal
  )
  if (events.length <= maxMarks) return { kind: 'marks', marks: toMarks(events) }
  return toDensity(
    counted.flatMap(({ samples }) => samples),
    coarseGrid
  )
}

interface Samples {
  readonly samples: readonly Sample[]
}
interface Events {
  readonly events: readonly Event[]
}
type Scope = Pick<LanePlan, 'streamIds' | 'types'>

function sampleCall({ streamIds, types }: Scope, grid: Grid, more: object = {}) {
  const { from, to } = grid
  const params = { streams: streamIds, types, fromTime: from, toTime: to, parts: countParts(grid), ...more }
  return { method: 'events.sample' as const, params }
}

function getCall({ streamIds, types }: Scope, { from, to }: Grid, limit: number, more: object = {}) {
  return {
    method: 'events.get' as const,
    params: { streams: streamIds, types, fromTime: from, toTime: to, limit, ...more }
  }
}

/** Returns a coarser grid, for counts. */
function coarsen({ from, step, to }: Grid): Grid {
  const coarseGrid = step * 3
  return { from, to: from + Math.ceil((to - from) / coarseGrid) * coarseGrid, step: coarseGrid }
}

function toDensity(samples: readonly Sample[], { step }: Grid): LaneData {
  const counts = new Map<number, number>()
  for (const { count, time } of samples) counts.set(time, (counts.get(time) ?? 0) + count)
  return { kind: 'heat', step, parts: sortByTime(Array.from(counts, ([time, count]) => ({ time, count }))) }
}

/** Returns the part of a band that a sample is; none if it has no numbers. */
function toPart({ count, max, mean, min, time }: Sample): Part[] {
  return min === undefined || max === undefined
    ? []
    : [{ time, count, min, max, mean: mean ?? (min + max) / 2 }]
}

function toPeriod({ content, duration, time }: Event): SleepPeriod[] {
  if (typeof duration !== 'number' || duration <= 0) return []
  const { analysis, stage } = (content ?? {}) as Readonly<Record<string, unknown>>
  const depth =
    analysis === 'inBed' ? 'bed' : analysis === 'awake' ? 'awake' : stage === 'deep' ? 'deep' : 'asleep'
  return [{ from: time, to: time + duration, stage: depth }]
}

/** Returns the marks of events. The track of an activity is omitted. */
function toMarks(events: readonly Event[]): Mark[] {
  const activities = new Set(
    events.filter(({ type }) => type.startsWith('activity/')).map(({ time }) => time)
  )
  return sortByTime(events)
    .filter(({ time, type }) => !(type.startsWith('series:position') && activities.has(time)))
    .map(({ content, description, duration, id, time, type }) => ({
      id,
      time,
      end: time + (duration ?? 0),
      icon: getMarkIcon(type),
      label: description ?? (typeof content === 'string' ? content.slice(0, 200) : '')
    }))
}

/** Returns the icon of a type; a dot for other types. */
export function getMarkIcon(type: string): MarkIcon {
  const [name] = type.replace(/^series:/, '').split('/')
  return Object.hasOwn(icons, name!) ? icons[name!]! : 'dot'
}

const icons: Readonly<Record<string, MarkIcon>> = {
  note: 'note',
  message: 'note',
  picture: 'photo',
  file: 'file',
  position: 'pin',
  activity: 'run'
}

function sortByTime<T extends { readonly time: number }>(items: readonly T[]): T[] {
  return items.toSorted((one, other) => one.time - other.time)
}
