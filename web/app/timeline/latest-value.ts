/** The latest value of a lane, as text: the same in every view. Times are in seconds. */
import { getLocale, t } from '../../language.js'
import { formatHoursMinutes, formatRounded } from '../data/format-values.js'
import { formatMeasureNumber, formatMeasurePair } from '../data/measures.js'
import { getConversion } from '../data/units.js'
import { getDayAt, type Zones } from '../lanes/calendar.js'
import type { LaneData, Part } from '../lanes/lane-data.js'
import { getSleepDuration, groupNights } from '../lanes/nights.js'
import type { LanePlan, MeasureOfLane } from '../lanes/plan-lane.js'
import { formatAgo } from '../parts/format-time.js'
import type { View } from '../lanes/view.js'
import { listVisibleParts } from './describe-lane.js'

interface LatestValue {
  readonly value: string
  readonly detail: string
}

/**
 * Returns the latest value of a lane with its unit and time, whatever the view; for streams, its change over
 * the view. Undefined for lanes of marks, and without a value.
 */
export function getLatestValue(
  plan: LanePlan,
  data: LaneData | undefined,
  view: View,
  zones: Zones
): LatestValue | undefined {
  const { kind, last, latest, measure, types, unit } = plan
  if (measure) return getLatestOfMeasure(plan, measure, data, zones)
  if (kind === 'numbers' && typeof latest === 'number') {
    const change =
      data?.kind === 'band' && data.isAmount !== true
        ? formatChange(listVisibleParts(data.parts, view, data.step))
        : undefined
    const convert = getConversion(types[0]!)
    const value = convert ? convert(latest) : latest
    return { value: formatRounded(value), detail: [unit, change].filter(Boolean).join(', ') }
  }
  if (kind === 'pairs') {
    const { systolic, diastolic } = (latest ?? {}) as Readonly<Record<string, unknown>>
    return typeof systolic === 'number' && typeof diastolic === 'number'
      ? { value: `${formatRounded(systolic, 0)}/${formatRounded(diastolic, 0)}`, detail: unit }
      : undefined
  }
  if (kind === 'nights' && data?.kind === 'nights') {
    const night = groupNights(data, zones).at(-1)
    const isLast = night && last - night.time < 40 * 3600 && Date.now() / 1000 - night.time < 40 * 3600
    return (
      night && {
        value: formatHoursMinutes(getSleepDuration(night)),
        detail: isLast ? t('timeline.lastNight') : ''
      }
    )
  }
  return undefined
}

/**
 * Returns the latest reading, the total of the latest day, or the latest night; undefined until it is loaded,
 * or if the lane shows one source that does not have it.
 */
function getLatestOfMeasure(
  { kind }: LanePlan,
  { definition, latest, only }: MeasureOfLane,
  data: LaneData | undefined,
  zones: Zones
): LatestValue | undefined {
  const latestDay = data?.kind === 'band' || data?.kind === 'nights' ? data.latestDay : undefined
  if (kind === 'nights')
    return (
      latestDay && { value: formatHoursMinutes(latestDay.value), detail: formatNightOf(latestDay.day, zones) }
    )
  if (definition.kind === 'sum')
    return latestDay && { value: formatRounded(latestDay.value), detail: formatDayOf(latestDay.day, zones) }
  // The facts know only the latest value of all sources.
  if (only !== undefined && only !== latest.streamId) return undefined
  const { value } = latest
  if (value === undefined) return undefined
  const quantity =
    typeof value === 'number'
      ? formatMeasureNumber(definition, value, {
          isRounded: true,
          ...(latest.unit !== undefined && { type: latest.unit })
        })
      : formatMeasurePair(definition, value)
  return {
    value: quantity.value,
    detail: [quantity.unit, formatAgo(latest.time)].filter(Boolean).join(', ')
  }
}

/** Names a date: `today`, `yesterday`, `14 Nov`. */
function formatDayOf(day: string, zones: Zones): string {
  const days = getDaysAgo(day, zones)
  if (days > 1) return formatDate(day)
  return new Intl.RelativeTimeFormat(getLocale(), { numeric: 'auto' }).format(-days, 'day')
}

/** Names the night that ended on a date: `last night`, `14 Nov`. */
function formatNightOf(day: string, zones: Zones): string {
  return getDaysAgo(day, zones) === 0 ? t('timeline.lastNight') : formatDate(day)
}

function formatDate(day: string): string {
  const format = new Intl.DateTimeFormat(getLocale(), { day: 'numeric', month: 'short', timeZone: 'UTC' })
  return format.format(Date.parse(`${day}T00:00:00Z`))
}

function getDaysAgo(day: string, zones: Zones): number {
  return getDayAt(Date.now() / 1000, zones).number - Date.parse(day) / 86_400_000
}

/** Formats the change from the first part to the last; undefined if there is only one. */
function formatChange(parts: readonly Part[]): string | undefined {
  const [first, last] = [parts[0], parts.at(-1)]
  if (!first || !last || first === last) return undefined
  const change = last.mean - first.mean
  const text = formatRounded(Math.abs(change), Math.abs(change) < 10 ? 1 : 0)
  return text === '0' ? '±0' : `${change > 0 ? '+' : '−'}${text}`
}
