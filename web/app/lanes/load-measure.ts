/** Reads the numbers of a measure's lane, merged over its sources by the service. Times are in seconds. */
import { formatDate, getDayStart, getLocalDay, getOffset } from '../../../schemas/zones.js'
import type { MeasureDay } from '../data/measures.js'
import { getZoneAt, type Zones } from './calendar.js'
import type { BandData, DayTotal, Part } from './lane-data.js'
import { isRating } from '../data/units.js'
import { getLaneType } from './plan-measure.js'
import type { LanePlan, MeasureOfLane } from './plan-lane.js'
import { countParts, type Grid, type LoadRequest } from './load-request.js'

const daySeconds = 86_400
/** Lengths of views, in seconds, up to which sums are shown by hour, and by day. */
const maxHourlyView = 5 * daySeconds
const maxDailyView = 1500 * daySeconds
/** Number of days before today among which the latest total is looked for. */
const latestDays = 7

/** A part of a range, as `measures.sample` returns it. */
interface MeasureSample {
  readonly time: number
  readonly count: number
  readonly min?: number
  readonly max?: number
  readonly mean?: number | readonly (number | null)[]
  readonly sum?: number
}

export interface MeasureSamples {
  readonly samples: readonly MeasureSample[]
}
export interface MeasureDays {
  readonly days: readonly MeasureDay[]
}

type MeasurePlan = LanePlan & { readonly measure: MeasureOfLane }

/** Returns whether a plan is for a measure. */
export function isOfMeasure(plan: LanePlan): plan is MeasurePlan {
  return plan.measure !== undefined
}

/** Reads the numbers of a level, or the totals of a sum. Rejects with a `Refusal`, or if it is cancelled. */
export async function loadMeasure(loading: LoadRequest): Promise<BandData> {
  const { client, grid, plan, signal, zones } = loading
  const { measure } = plan as MeasurePlan
  if (measure.definition.kind === 'sum') return await loadTotals(loading)
  const [{ samples }] = await client.batchStrict<[MeasureSamples]>(
    [sampleMeasure(plan as MeasurePlan, grid, countParts(grid), zones)],
    signal
  )
  const factor = isRating(measure.definition.types[0]!) ? 10 : 1
  const parts = samples.flatMap(({ count, max, mean, min, time }) =>
    min === undefined || max === undefined || typeof mean !== 'number'
      ? []
      : [{ time, count, min: min * factor, max: max * factor, mean: mean * factor }]
  )
  return { kind: 'band', parts, step: grid.step }
}

/** Reads totals by hour, by day, or of longer periods, and the total of the latest day. */
async function loadTotals({ client, grid, plan, signal, zones }: LoadRequest): Promise<BandData> {
  const own = plan as MeasurePlan
  const length = grid.to - grid.from
  const zone = getGridZone(grid, zones)
  const latest = readLatestDays(own, zones)
  if (length > maxHourlyView && length <= maxDailyView) {
    const [{ days }, { days: last }] = await client.batchStrict<[MeasureDays, MeasureDays]>(
      [readDays(own, grid.from, grid.to, zone), latest],
      signal
    )
    return {
      kind: 'band',
      isAmount: true,
      step: daySeconds,
      parts: days.flatMap(each => toDayPart(each, zone)),
      ...withLatest(last)
    }
  }
  const step = length > maxDailyView ? Math.max(7 * daySeconds, grid.step * 3) : 3600
  const from = length > maxDailyView ? grid.from : getHourStart(grid.from, zone)
  const count = Math.max(1, Math.min(4000, Math.ceil((grid.to - from) / step)))
  const [{ samples }, { days: last }] = await client.batchStrict<[MeasureSamples, MeasureDays]>(
    [sampleMeasure(own, { from, to: from + count * step, step }, count, zones), latest],
    signal
  )
  const parts = samples.flatMap(({ count: size, sum, time }) =>
    sum === undefined ? [] : [{ time, count: size, min: sum, max: sum, mean: sum }]
  )
  return { kind: 'band', isAmount: true, step, parts, ...withLatest(last) }
}

/** Returns the call for samples of a measure. */
export function sampleMeasure(plan: MeasurePlan, grid: Grid, parts: number, zones: Zones) {
  const { from, to } = grid
  const params = { ...getScope(plan), fromTime: from, toTime: to, parts, zone: getGridZone(grid, zones) }
  return { method: 'measures.sample' as const, params }
}

/** Returns the call for the days of a zone in which a range lies. */
export function readDays(plan: MeasurePlan, from: number, to: number, zone: string) {
  const params = { ...getScope(plan), from: getDate(from, zone), to: getDate(to, zone), zone }
  return { method: 'measures.days' as const, params }
}

/** Returns the call for the latest days. */
export function readLatestDays(plan: MeasurePlan, zones: Zones) {
  const now = Date.now() / 1000
  return readDays(plan, now - latestDays * daySeconds, now, getZoneAt(now, zones.periods, zones.fallback))
}

/** Returns the latest of days with its total, as a property; nothing if it has no total. */
export function withLatest(days: readonly MeasureDay[]): { readonly latestDay?: DayTotal } {
  const last = days.at(-1)
  return typeof last?.value === 'number' ? { latestDay: { day: last.day, value: last.value } } : {}
}

/** Returns the values of days by date. */
export function toTotals(days: readonly MeasureDay[]): ReadonlyMap<string, number> {
  return new Map(days.flatMap(({ day, value }) => (typeof value === 'number' ? [[day, value]] : [])))
}

/** Returns the date of a time in a zone: `2026-11-14`. */
export function getDate(time: number, zone: string): string {
  return formatDate(getLocalDay(zone, time).number)
}

function getScope({ measure: { definition, latest, only }, streamIds }: MeasurePlan) {
  const hasUnit = definition.kind === 'level' || definition.kind === 'sum'
  return {
    measure: definition.id,
    // Copies of other people's data are read only if their streams are named.
    ...((only ?? streamIds[0]!.startsWith(':')) && { streams: streamIds }),
    ...(hasUnit && !isRating(definition.types[0]!) ? { unit: getLaneType(definition, latest) } : {})
  }
}

function toDayPart({ count, day, value }: MeasureDay, zone: string): Part[] {
  if (typeof value !== 'number') return []
  const time = getDayStart(zone, Date.parse(`${day}T00:00:00Z`) / (1000 * daySeconds))
  return [{ time, count, min: value, max: value, mean: value }]
}

/** Returns the zone whose days and hours are shown: where the user is, or was, at the end of the range. */
export function getGridZone({ to }: Grid, { fallback, periods }: Zones): string {
  return getZoneAt(Math.min(to, Date.now() / 1000), periods, fallback)
}

/** Returns when the hour of a local clock began: some zones differ from UTC by half an hour. */
function getHourStart(time: number, zone: string): number {
  const offset = getOffset(zone, time)
  return Math.floor((time + offset) / 3600) * 3600 - offset
}
