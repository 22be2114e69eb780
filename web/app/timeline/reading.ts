/** Describes a lane as text: at a time, its latest value, and as a whole. Times are in seconds. */
import { locale, t, type PluralKey } from '../../language.js'
import { plain } from '../../plain.js'
import { conversionOf } from '../data/units.js'
import { dayAt, type Zones } from '../lanes/calendar.js'
import { firstAt, nearest, type LaneData, type Mark, type Part } from '../lanes/data.js'
import { isSparse, pauseOf } from '../lanes/draw-band.js'
import { asleepIn, nightsOf } from '../lanes/nights.js'
import { isWithin, lengthOf, type View } from '../lanes/scale.js'
import type { Plan } from '../lanes/plan.js'
import { datesOf } from './titles.js'
import { hoursAndMinutes, number, unitFor } from './units.js'

export interface Reading {
  readonly text: string
  /** The number, which determines the position. */
  readonly value?: number
}

/** Maximum distance from the cursor, as a share of the view. */
const maxDistanceShare = 0.012

/** Returns the value of a lane at a time; undefined if there is none. */
export function readingAt(data: LaneData, time: number, view: View, zones: Zones): Reading | undefined {
  if (data.kind === 'band') {
    const part = nearest(data.parts, time - data.step / 2)
    const maxDistance = Math.max(
      data.step,
      lengthOf(view) * maxDistanceShare,
      Math.min(pauseOf(listNearbyParts(data.parts, time), data.step) / 2, 36 * 3600)
    )
    return part && Math.abs(part.time + data.step / 2 - time) <= maxDistance
      ? { text: number(part.mean), value: part.mean }
      : undefined
  }
  if (data.kind === 'pairs') {
    const bar = nearest(data.bars, time - data.step / 2)
    const isNear =
      bar && Math.abs(bar.time - time) <= Math.max(data.step, lengthOf(view) * maxDistanceShare * 1.5)
    return isNear ? { text: `${number(bar.high, 0)}/${number(bar.low, 0)}`, value: bar.high } : undefined
  }
  if (data.kind === 'nights') {
    const midnight = dayAt(time + 6 * 3600, zones).number
    const night = nightsOf(data, zones).find(each => dayAt(each.time + 3600, zones).number === midnight)
    return night && { text: hoursAndMinutes(asleepIn(night)) }
  }
  if (data.kind === 'heat') {
    const part = data.parts[firstAt(data.parts, time - data.step)]
    return part && part.time <= time ? { text: number(part.count, 0) } : undefined
  }
  const maxDistance = lengthOf(view) * maxDistanceShare
  const nearby = data.marks.filter(mark =>
    isWithin(mark.time - maxDistance, mark.end + maxDistance, { from: time, to: time })
  )
  const first = nearby.find(({ label }) => label !== '')
  if (nearby.length === 0 || !first) return undefined
  const label = plain(first.label)
  return { text: label.length > 44 ? `${label.slice(0, 43)}…` : label }
}

function listNearbyParts(parts: readonly Part[], time: number): readonly Part[] {
  const at = firstAt(parts, time)
  return parts.slice(Math.max(0, at - 6), at + 6)
}

/** Returns the visible parts. */
export function partsIn(parts: readonly Part[], view: View, step: number): readonly Part[] {
  return parts.slice(firstAt(parts, view.from - step / 2), firstAt(parts, view.to))
}

export interface Latest {
  readonly value: string
  readonly detail: string
}

/** Returns the latest value of a lane with its unit, and its change over the view. */
export function latestOf(
  { kind, last, latest, types }: Plan,
  data: LaneData | undefined,
  view: View,
  zones: Zones
): Latest | undefined {
  const unit = unitFor(types[0]!)
  if (kind === 'numbers' && typeof latest === 'number') {
    const change =
      data?.kind === 'band' && data.isAmount !== true
        ? formatChange(partsIn(data.parts, view, data.step))
        : undefined
    const convert = conversionOf(types[0]!)
    const value = convert ? convert(latest) : latest
    return { value: number(value), detail: [unit, change].filter(Boolean).join(', ') }
  }
  if (kind === 'pairs') {
    const { systolic, diastolic } = (latest ?? {}) as Readonly<Record<string, unknown>>
    return typeof systolic === 'number' && typeof diastolic === 'number'
      ? { value: `${number(systolic, 0)}/${number(diastolic, 0)}`, detail: unit }
      : undefined
  }
  if (kind === 'series' && data?.kind === 'band') {
    const part = data.parts.at(-1)
    if (!part) return undefined
    return {
      value: number(part.mean, part.mean >= 20 ? 0 : 1),
      detail: [unit, formatAgo(part.time + data.step)].filter(Boolean).join(', ')
    }
  }
  if (kind === 'nights' && data?.kind === 'nights') {
    const night = nightsOf(data, zones).at(-1)
    const isLast = night && last - night.time < 40 * 3600 && Date.now() / 1000 - night.time < 40 * 3600
    return night && { value: hoursAndMinutes(asleepIn(night)), detail: isLast ? t('timeline.lastNight') : '' }
  }
  return undefined
}

/** Formats how long ago a time is. */
function formatAgo(time: number): string {
  const minutes = (Date.now() / 1000 - time) / 60
  if (minutes < 3) return t('timeline.justNow')
  const format = new Intl.RelativeTimeFormat(locale(), { numeric: 'auto', style: 'short' })
  if (minutes < 90) return format.format(-Math.round(minutes), 'minute')
  if (minutes < 36 * 60) return format.format(-Math.round(minutes / 60), 'hour')
  return format.format(-Math.round(minutes / 1440), 'day')
}

function formatChange(parts: readonly Part[]): string | undefined {
  const [first, last] = [parts[0], parts.at(-1)]
  if (!first || !last || first === last) return undefined
  const change = last.mean - first.mean
  const text = number(Math.abs(change), Math.abs(change) < 10 ? 1 : 0)
  return text === '0' ? '±0' : `${change > 0 ? '+' : '−'}${text}`
}

/** Describes how much data is visible. */
export function aboutOf({ kind }: Plan, data: LaneData | undefined, view: View, zones: Zones): string {
  if (!data) return ''
  if (data.kind === 'band') {
    const parts = partsIn(data.parts, view, data.step)
    const count = parts.reduce((sum, part) => sum + part.count, 0)
    if (count === 0) return t('timeline.noData')
    const text = t(kind === 'series' ? 'shell.pointCount' : 'timeline.values', { count })
    return count > parts.length * 1.5 && data.isAmount !== true
      ? t('timeline.summed', { values: text })
      : text
  }
  if (data.kind === 'pairs') {
    const count = data.bars
      .filter(({ time }) => isWithin(time, time, view))
      .reduce((sum, bar) => sum + bar.count, 0)
    return count === 0 ? t('timeline.noData') : t('timeline.measurements', { count })
  }
  if (data.kind === 'nights')
    return t('timeline.nights', {
      count: nightsOf(data, zones).filter(({ time }) => isWithin(time, time, view)).length
    })
  if (data.kind === 'marks')
    return describeMarks(data.marks.filter(({ end, time }) => isWithin(time, end, view)))
  const count = data.parts
    .filter(({ time }) => isWithin(time, time, view))
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
export function sentenceOf(plan: Plan, data: LaneData | undefined, view: View, zones: Zones): string {
  const name = plan.name
  const dates = datesOf(view, zones)
  if (!data) return t('timeline.says.loading', { name })
  const unit = unitFor(plan.types[0]!)
  const about = aboutOf(plan, data, view, zones)
  if (data.kind === 'band') {
    const parts = partsIn(data.parts, view, data.step)
    const [first, last] = [parts[0], parts.at(-1)]
    if (!first || !last) return t('timeline.says.nothing', { name, dates })
    const low = number(Math.min(...parts.map(({ min }) => min)))
    const high = number(Math.max(...parts.map(({ max }) => max)))
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
      first: number(first.mean),
      last: number(last.mean),
      unit,
      about
    })
  }
  if (data.kind === 'pairs') {
    const bars = data.bars.filter(({ time }) => isWithin(time, time, view))
    if (bars.length === 0) return t('timeline.says.nothing', { name, dates })
    const mean = (of: (bar: (typeof bars)[number]) => number): string =>
      number(bars.reduce((sum, bar) => sum + of(bar), 0) / bars.length, 0)
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
    const nights = nightsOf(data, zones).filter(({ time }) => isWithin(time, time, view))
    if (nights.length === 0) return t('timeline.says.nothing', { name, dates })
    const mean = nights.reduce((sum, night) => sum + asleepIn(night), 0) / nights.length
    return t('timeline.says.nights', { name, dates, about, mean: hoursAndMinutes(mean) })
  }
  return t('timeline.says.marks', { name, dates, about })
}
