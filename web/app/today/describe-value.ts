/** What a card says: the value in large type, when it was, and where it comes from. */
import { t, type Key } from '../../language.js'
import { toPlainText } from '../../plain-text.js'
import {
  formatMeasureNumber,
  formatMeasurePair,
  getChoiceLabel,
  getMeasureName,
  type AnyMeasure,
  type LatestValue
} from '../data/measures.js'
import type { Tree } from '../data/tree.js'
import { joinQuantity, toPointType, type Quantity } from '../data/units.js'
import { getDayAt, getHourAt, type Day, type Zones } from '../lanes/calendar.js'
import { formatDuration } from '../parts/format-duration.js'
import { formatClock, formatDateTime, formatTime } from '../parts/format-time.js'
import type { MeasureRow } from './read-today.js'

/** Seconds for which a value is new. */
const newSeconds = 120
/** Days for which the name of the weekday suffices. */
const weekdayDays = 6

/** Describes when something was: `this morning at 07:05`, `yesterday at 22:10`, `Monday at 18:24`, `14 Nov, 18:24`. */
export function describeTime(time: number, day: Day, zones: Zones, now: number): string {
  if (time <= now && now - time < newSeconds) return t('shell.justNow')
  const { number, zone } = getDayAt(time, zones)
  const clock = formatClock(time, zone)
  const age = day.number - number
  if (age === 0) return t(`today.at.${getPartOfDay(getHourAt(time, zone))}`, { time: clock })
  if (age === 1) return t('today.at.yesterday', { time: clock })
  if (age < 0 || age > weekdayDays) return formatDateTime(time, zone)
  return t('today.at.weekday', { day: formatTime(time, { weekday: 'long', timeZone: zone }), time: clock })
}

/** Describes a day, counted from 1970: `Today`, `Yesterday`, `Monday`, `14 November`. */
export function describeDay(number: number, today: number): string {
  const age = today - number
  if (age === 0) return t('shell.today')
  if (age === 1) return t('today.yesterday')
  const noon = number * 86_400 + 43_200
  return formatTime(
    noon,
    age > 0 && age <= weekdayDays
      ? { weekday: 'long', timeZone: 'UTC' }
      : { day: 'numeric', month: 'long', timeZone: 'UTC' }
  )
}

/** Formats the latest value of a level, a pair or a category; undefined if its content is neither a number nor a word. */
export function formatLatest(measure: AnyMeasure, latest: LatestValue): Quantity | undefined {
  const { content, type, unit, value } = latest
  // A number may be one of a few choices.
  const choice = getChoiceLabel(measure, content)
  if (choice !== undefined) return { value: choice, unit: '' }
  if (Array.isArray(value)) return formatMeasurePair(measure, value as readonly (number | null)[])
  // A number that was entered in another unit has more decimals than it was entered with.
  if (typeof value === 'number')
    return formatMeasureNumber(
      measure,
      value,
      unit === undefined ? {} : { type: unit, isRounded: toPointType(type) !== unit }
    )
  const words = formatWords(measure, content)
  return words === undefined ? undefined : { value: words, unit: '' }
}

/** Formats a content in words: a choice, yes or no, a text; undefined for others. */
export function formatWords(measure: AnyMeasure, content: unknown): string | undefined {
  const choice = getChoiceLabel(measure, content)
  if (choice !== undefined) return choice
  if (typeof content === 'boolean') return t(content ? 'today.yes' : 'today.no')
  return typeof content === 'string' ? toPlainText(content) : undefined
}

/** Formats the value of a day; of a pair, both numbers; a dash if it is neither a number nor a word. */
export function formatDayValue(measure: AnyMeasure, value: MeasureRow['value']): Quantity {
  if (typeof value === 'number') return formatNumber(measure, value)
  return typeof value === 'object'
    ? formatMeasurePair(measure, value)
    : { value: formatWords(measure, value) ?? '–', unit: '' }
}

/** Formats a number of a measure, such as the value of a day or of a goal; the length of periods as hours and minutes. */
export function formatNumber(measure: AnyMeasure, value: number): Quantity {
  if (measure.kind === 'span') return { value: formatDuration(value), unit: '' }
  return formatMeasureNumber(measure, value, { isRounded: true })
}

/** Formats a number with its unit in one text. */
export function formatWhole(measure: AnyMeasure, value: number): string {
  return joinQuantity(formatNumber(measure, value))
}

/**
 * Returns the name of the stream that a value comes from; undefined if that says no more than the name of the
 * measure, or if the stream is unknown.
 */
export function getSourceName(
  streamId: string,
  measure: AnyMeasure,
  tree: Tree | undefined
): string | undefined {
  const stream = tree?.find(streamId)
  const name = stream && toPlainText(stream.name)
  return name?.toLowerCase() === getMeasureName(measure).toLowerCase() ? undefined : name
}

function getPartOfDay(hour: number): 'night' | 'morning' | 'afternoon' | 'evening' {
  if (hour < 5) return 'night'
  if (hour < 12) return 'morning'
  return hour < 18 ? 'afternoon' : 'evening'
}

/** Returns the key of the words for a trend. */
export function getTrendKey(trend: string, { kind, category }: { kind: string; category?: string }): Key {
  if (trend === 'usual') return 'today.trend.usual'
  const isLength = kind === 'span' || category === 'sleep'
  return `today.trend.${isLength ? 'length' : 'level'}.${trend}` as 'today.trend.level.low.little'
}
