/** Describes a lane as text: at a time, its latest value, and as a whole. Times are in seconds. */
import { t, type PluralKey } from '../../language.js'
import { toPlainText } from '../../plain-text.js'
import { joinQuantity } from '../data/units.js'
import { getDayAt, type Zones } from '../lanes/calendar.js'
import {
  findIndexAt,
  findNearest,
  type BandData,
  type LaneData,
  type Mark,
  type Part
} from '../lanes/lane-data.js'
import { isSparse, getMaxGap } from '../lanes/draw-band.js'
import { getSleepDuration, groupNights, isNightVisible } from '../lanes/nights.js'
import { overlaps, getLength, type View } from '../lanes/view.js'
import type { LanePlan } from '../lanes/plan-lane.js'
import { formatDates } from './titles.js'
import { formatHoursMinutes, formatReadings, formatRounded } from '../data/format-values.js'

interface Reading {
  readonly text: string
  /** The number, which determines the position. */
  readonly value?: number
}

const daySeconds = 86_400
/** Maximum distance from the cursor, as a share of the view. */
const maxDistanceShare = 0.012

/**
 * Returns the value of a lane near a time, as text and, if it is on a scale, as a number; undefined if there
 * is none near enough.
 */
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

/** Describes how much data is visible. Empty until the data is loaded. */
export function describeAmount(
  { kind, measure, unit }: LanePlan,
  data: LaneData | undefined,
  view: View,
  zones: Zones
): string {
  if (!data) return ''
  if (data.kind === 'band') {
    const parts = listVisibleParts(data.parts, view, data.step)
    const count = parts.reduce((sum, part) => sum + part.count, 0)
    if (count === 0) return t('timeline.noData')
    if (measure && data.isAmount === true) return describeTotal(data, { parts, view, zones }, unit)
    const text = measure || kind === 'series' ? formatReadings(count) : t('timeline.values', { count })
    if (measure) return t('timeline.average', { value: formatMean(parts, count, unit), values: text })
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
      count: groupNights(data, zones).filter(night => isNightVisible(night, view)).length
    })
  if (data.kind === 'marks')
    return describeMarks(data.marks.filter(({ end, time }) => overlaps(time, end, view)))
  const count = data.parts
    .filter(({ time }) => overlaps(time, time, view))
    .reduce((sum, part) => sum + part.count, 0)
  return count === 0 ? t('timeline.noData') : t('shell.eventCount', { count })
}

/** Formats the mean of parts: `61.9 kg`. */
function formatMean(parts: readonly Part[], count: number, unit: string): string {
  const mean = parts.reduce((sum, part) => sum + part.mean * part.count, 0) / count
  return joinQuantity({ value: formatRounded(mean), unit })
}

/** Describes a sum: its total in views of up to two days, otherwise that of an average day with data. */
function describeTotal(
  { step }: BandData,
  { parts, view, zones }: { readonly parts: readonly Part[]; readonly view: View; readonly zones: Zones },
  unit: string
): string {
  const total = parts.reduce((sum, { mean }) => sum + mean, 0)
  const format = (value: number): string => joinQuantity({ value: formatRounded(value), unit })
  if (getLength(view) < 2 * daySeconds) return t('timeline.total', { value: format(total) })
  const days =
    step > daySeconds
      ? (parts.length * step) / daySeconds
      : new Set(parts.map(({ time }) => getDayAt(time, zones).number)).size
  return t('timeline.perDay', { value: format(total / days) })
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
  const unit = plan.unit
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
    const nights = groupNights(data, zones).filter(night => isNightVisible(night, view))
    if (nights.length === 0) return t('timeline.says.nothing', { name, dates })
    const mean = nights.reduce((sum, night) => sum + getSleepDuration(night), 0) / nights.length
    return t('timeline.says.nights', { name, dates, about, mean: formatHoursMinutes(mean) })
  }
  return t('timeline.says.marks', { name, dates, about })
}
