/** Describes a lane as text: at a time, its latest value, and as a whole. Times are in seconds. */
import { getLocale, t, type PluralKey } from '../../language.js'
import { toPlainText } from '../../plain-text.js'
import { getConversion } from '../data/units.js'
import { getDayAt, type Zones } from '../lanes/calendar.js'
import { findIndexAt, findNearest, type LaneData, type Mark, type Part } from '../lanes/lane-data.js'
import { isSparse, getMaxGap } from '../lanes/draw-band.js'
import { getSleepDuration, groupNights } from '../lanes/nights.js'
import { overlaps, getLength, type View } from '../lanes/view.js'
import type { LanePlan } from '../lanes/plan-lane.js'
import { formatDates } from './titles.js'
import { formatHoursMinutes, formatRounded, getUnitSymbol } from '../data/format-values.js'

export interface Reading {
  readonly text: string
  /** The number, which determines the position. */
  readonly value?: number
}

/** Maximum distance from the cursor, as a share of the view. */
const maxDistanceShare = 0.012

/** Returns the value of a lane at a time; undefined if there is none. */
export function readValueAt(data: LaneData, time: number, view: View, zones: Zones): Reading | undefined {
  if (data.kind === 'band') {
    const part = findNearest(data.parts, time - data.step / 2)
    const maxDistance = Math.max(
      data.step,
      getLength(view) * maxDistanceShare,
      Math.min(getMaxGap(listNearbyParts(data.parts, time), data.step) / 2, 36 * 3600)
    )
    return part && Math.abs(part.time + data.step / 2 - time) <= maxDistance
      ? { text: formatRounded(part.mean), value: part.mean }
      : undefined
  }
  if (data.kind === 'pairs') {
    const bar = findNearest(data.bars, time - data.step / 2)
    const isNear =
      bar && Math.abs(bar.time - time) <= Math.max(data.step, getLength(view) * maxDistanceShare * 1.5)
    return isNear
      ? { text: `${formatRounded(bar.high, 0)}/${formatRounded(bar.low, 0)}`, value: bar.high }
      : undefined
  }
  if (data.kind === 'nights') {
    const midnight = getDayAt(time + 6 * 3600, zones).number
    const night = groupNights(data, zones).find(each => getDayAt(each.time + 3600, zones).number === midnight)
    return night && { text: formatHoursMinutes(getSleepDuration(night)) }
  }
  if (data.kind === 'heat') {
    const part = data.parts[findIndexAt(data.parts, time - data.step)]
    return part && part.time <= time ? { text: formatRounded(part.count, 0) } : undefined
  }
  const maxDistance = getLength(view) * maxDistanceShare
  const nearby = data.marks.filter(mark =>
    overlaps(mark.time - maxDistance, mark.end + maxDistance, { from: time, to: time })
  )
  const first = nearby.find(({ label }) => label !== '')
  if (nearby.length === 0 || !first) return undefined
  const label = toPlainText(first.label)
  return { text: label.length > 44 ? `${label.slice(0, 43)}…` : label }
}

function listNearbyParts(parts: readonly Part[], time: number): readonly Part[] {
  const at = findIndexAt(parts, time)
  return parts.slice(Math.max(0, at - 6), at + 6)
}

/** Returns the visible parts. */
export function listVisibleParts(parts: readonly Part[], view: View, step: number): readonly Part[] {
  return parts.slice(findIndexAt(parts, view.from - step / 2), findIndexAt(parts, view.to))
}

export interface LatestValue {
  readonly value: string
  readonly detail: string
}

/** Returns the latest value of a lane with its unit, and its change over the view. */
export function getLatestValue(
  { kind, last, latest, types }: LanePlan,
  data: LaneData | undefined,
  view: View,
  zones: Zones
): LatestValue | undefined {
  const unit = getUnitSymbol(types[0]!)
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
  if (kind === 'series' && data?.kind === 'band') {
    const part = data.parts.at(-1)
    if (!part) return undefined
    return {
      value: formatRounded(part.mean, part.mean >= 20 ? 0 : 1),
      detail: [unit, formatAgo(part.time + data.step)].filter(Boolean).join(', ')
    }
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

/** Formats how long ago a time is. */
function formatAgo(time: number): string {
  const minutes = (Date.now() / 1000 - time) / 60
  if (minutes < 3) return t('timeline.justNow')
  const format = new Intl.RelativeTimeFormat(getLocale(), { numeric: 'auto', style: 'short' })
  if (minutes < 90) return format.format(-Math.round(minutes), 'minute')
  if (minutes < 36 * 60) return format.format(-Math.round(minutes / 60), 'hour')
  return format.format(-Math.round(minutes / 1440), 'day')
}

function formatChange(parts: readonly Part[]): string | undefined {
  const [first, last] = [parts[0], parts.at(-1)]
  if (!first || !last || first === last) return undefined
  const change = last.mean - first.mean
  const text = formatRounded(Math.abs(change), Math.abs(change) < 10 ? 1 : 0)
  return text === '0' ? '±0' : `${change > 0 ? '+' : '−'}${text}`
}

/** Describes how much data is visible. */
export function describeAmount(
  { kind }: LanePlan,
  data: LaneData | undefined,
  view: View,
  zones: Zones
): string {
  if (!data) return ''
  if (data.kind === 'band') {
    const parts = listVisibleParts(data.parts, view, data.step)
    const count = parts.reduce((sum, part) => sum + part.count, 0)
    if (count === 0) return t('timeline.noData')
    const text = t(kind === 'series' ? 'shell.pointCount' : 'timeline.values', { count })
    return count > parts.length * 1.5 && data.isAmount !== true
      ? t('timeline.summed', { values: text })
      : text
  }
  if (data.kind === 'pairs') {
    const count = data.bars
      .filter(({ time }) => overlaps(time, time, view))
      .reduce((sum, bar) => sum + bar.count, 0)
    return count === 0 ? t('timeline.noData') : t('timeline.measurements', { count })
  }
  if (data.kind === 'nights')
    return t('timeline.nights', {
      count: groupNights(data, zones).filter(({ time }) => overlaps(time, time, view)).length
    })
  if (data.kind === 'marks')
    return describeMarks(data.marks.filter(({ end, time }) => overlaps(time, end, view)))
  const count = data.parts
    .filter(({ time }) => overlaps(time, time, view))
    .reduce((sum, part) => sum + part.count, 0)
  return count === 0 ? t('timeline.noData') : t('shell.eventCount', { count })
}

const textsByIcon = {
  note: 'timeline.notes',
  photo: 'timeline.photos',
  pin: 'timeline.places',
  run: 'timeline.activities',
  file: 'timeline.files'
} as const

/** Counts marks by kind: `6 notes, 4 photos`. */
function describeMarks(marks: readonly Mark[]): string {
  const counts = new Map<PluralKey, number>()
  for (const { icon } of marks) {
    const key = icon in textsByIcon ? textsByIcon[icon as keyof typeof textsByIcon] : 'shell.eventCount'
    counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  if (counts.size === 0) return t('timeline.noData')
  return Array.from(counts, ([key, count]) => t(key, { count })).join(', ')
}

/** Describes a lane in a sentence, for screen readers. */
export function describeLane(plan: LanePlan, data: LaneData | undefined, view: View, zones: Zones): string {
  const name = plan.name
  const dates = formatDates(view, zones)
  if (!data) return t('timeline.says.loading', { name })
  const unit = getUnitSymbol(plan.types[0]!)
  const about = describeAmount(plan, data, view, zones)
  if (data.kind === 'band') {
    const parts = listVisibleParts(data.parts, view, data.step)
    const [first, last] = [parts[0], parts.at(-1)]
    if (!first || !last) return t('timeline.says.nothing', { name, dates })
    const low = formatRounded(Math.min(...parts.map(({ min }) => min)))
    const high = formatRounded(Math.max(...parts.map(({ max }) => max)))
    const isChange = plan.kind === 'numbers' && data.isAmount !== true && isSparse(parts, view, 600)
    const key = !isChange
      ? 'between'
      : last.mean < first.mean
        ? 'down'
        : last.mean > first.mean
          ? 'up'
          : 'between'
    return t(`timeline.says.${key}`, {
      name,
      dates,
      low,
      high,
      first: formatRounded(first.mean),
      last: formatRounded(last.mean),
      unit,
      about
    })
  }
  if (data.kind === 'pairs') {
    const bars = data.bars.filter(({ time }) => overlaps(time, time, view))
    if (bars.length === 0) return t('timeline.says.nothing', { name, dates })
    const mean = (of: (bar: (typeof bars)[number]) => number): string =>
      formatRounded(bars.reduce((sum, bar) => sum + of(bar), 0) / bars.length, 0)
    return t('timeline.says.pairs', {
      name,
      dates,
      about,
      high: mean(({ high }) => high),
      low: mean(({ low }) => low),
      unit
    })
  }
  if (data.kind === 'nights') {
    const nights = groupNights(data, zones).filter(({ time }) => overlaps(time, time, view))
    if (nights.length === 0) return t('timeline.says.nothing', { name, dates })
    const mean = nights.reduce((sum, night) => sum + getSleepDuration(night), 0) / nights.length
    return t('timeline.says.nights', { name, dates, about, mean: formatHoursMinutes(mean) })
  }
  return t('timeline.says.marks', { name, dates, about })
}
