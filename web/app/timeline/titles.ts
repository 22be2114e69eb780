/** Titles of views, and formatted times. */
import { getLocale, t } from '../../language.js'
import { getDayAt, getHourAt, type Zones } from '../lanes/calendar.js'
import { getLength, type View } from '../lanes/view.js'
import { formatTime } from '../parts/format-time.js'
import { findPreset } from './presets.js'

interface Title {
  readonly main: string
  readonly detail: string
}

const day = 86_400

/**
 * Returns the title of a view, and its dates; for views of other lengths than the presets, its dates as the
 * title, and its number of days.
 */
export function createTitle(view: View, whole: View | undefined, zones: Zones, now: number): Title {
  const detail = formatDates(view, zones)
  const preset = findPreset(view, whole)
  const isLast = now >= view.from && now <= view.to && view.to - now <= day + 3700
  if (preset === 'all') return { main: t('span.all'), detail }
  if (preset === 'day' && isWholeDays(view, zones)) {
    const { number } = getDayAt(view.from + getLength(view) / 2, zones)
    const today = getDayAt(now, zones).number
    const main =
      number === today
        ? t('shell.today')
        : number === today - 1
          ? t('timeline.yesterday')
          : formatZonedTime(view.from + 3600, zones, { weekday: 'long' })
    return { main: capitalize(main), detail }
  }
  if (preset !== undefined && preset !== 'day' && isLast)
    return { main: t(`timeline.last.${preset}`), detail }
  const count = Math.round(getLength(view) / day)
  return { main: detail, detail: count >= 1 ? t('timeline.days', { count }) : '' }
}

/** Formats the dates of a view: `24 October – 22 November 2026`; with times of day if it is shorter than two days. */
export function formatDates({ from, to }: View, zones: Zones): string {
  const isShort = to - from < 1.9 * day
  const isWhole = isWholeDays({ from, to }, zones)
  const options: Intl.DateTimeFormatOptions = {
    day: 'numeric',
    month: to - from > 200 * day ? 'short' : 'long',
    year: 'numeric',
    ...(isShort && !isWhole ? { hour: '2-digit', minute: '2-digit' } : {}),
    timeZone: getDayAt(from, zones).zone
  }
  const format = new Intl.DateTimeFormat(getLocale(), options)
  // The end is exclusive.
  return format.formatRange(from * 1000, Math.max(from, to - 1) * 1000)
}

function isWholeDays({ from, to }: View, zones: Zones): boolean {
  return Math.abs(getDayAt(from, zones).from - from) < 1 && Math.abs(getDayAt(to, zones).from - to) < 1
}

/** Formats a time in its time zone: `Sat 14 Nov, 18:24`. */
export function formatMoment(time: number, zones: Zones, length = 0): string {
  const isLong = length > 400 * day
  return formatZonedTime(time, zones, {
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    ...(isLong ? { year: 'numeric' } : { hour: '2-digit', minute: '2-digit' }),
    ...(length > 0 && length < 600 ? { second: '2-digit' } : {})
  })
}

/** Formats a time in its time zone. */
export function formatZonedTime(time: number, zones: Zones, options: Intl.DateTimeFormatOptions): string {
  return formatTime(time, { ...options, timeZone: getDayAt(time, zones).zone })
}

type DayPart = 'night' | 'morning' | 'afternoon' | 'evening'

/**
 * Returns the part of the day that contains a time, with its range: the night from 0 to 5, the morning to 12,
 * the afternoon to 17, or the evening.
 */
export function getDayPart(time: number, zones: Zones): View & { readonly name: DayPart } {
  const { from, to, zone } = getDayAt(time, zones)
  const hour = getHourAt(time, zone)
  const [name, begin, end] =
    hour < 5
      ? (['night', 0, 5] as const)
      : hour < 12
        ? (['morning', 5, 12] as const)
        : hour < 17
          ? (['afternoon', 12, 17] as const)
          : (['evening', 17, 24] as const)
  // On days with clock changes, the night is an hour longer or shorter.
  const start = to - 24 * 3600
  return { name, from: name === 'night' ? from : start + begin * 3600, to: start + end * 3600 }
}

function capitalize(text: string): string {
  return text.charAt(0).toLocaleUpperCase() + text.slice(1)
}
