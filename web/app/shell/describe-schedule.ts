/** Describes when something is due, with the texts of the module `reminders`. (docs/api/reminders.md#schedules) */
import { getLocale, t } from '../../language.js'
import { formatTime, formatWeekday } from '../parts/format-time.js'

/** A schedule as the API returns it. */
export interface Schedule {
  readonly times: readonly string[]
  readonly days?: readonly number[]
  readonly everyDays?: number
  readonly startsOn?: string
  readonly from?: string
  readonly until?: string
}

/** Returns when something is due: `Mon and Thu, 08:00, until 31 December 2026`. */
export function describeSchedule({ days, everyDays, from, startsOn, times, until }: Schedule): string {
  const isOnce = from !== undefined && from === until
  const rhythm = isOnce
    ? formatDate(from)
    : days
      ? formatList(days.map(formatWeekday))
      : everyDays === undefined
        ? t('reminders.rhythm.daily')
        : t('reminders.everyCount', { count: everyDays })
  const text = t('reminders.when', { rhythm, times: formatList(times) })
  const first = from ?? startsOn
  const bounds = isOnce
    ? []
    : [
        first === undefined ? [] : t('reminders.starts', { day: formatDate(first) }),
        until === undefined ? [] : t('reminders.ends', { day: formatDate(until) })
      ].flat()
  return [text, ...bounds].join(', ')
}

function formatDate(date: string): string {
  return formatTime(Date.parse(date) / 1000, { dateStyle: 'long', timeZone: 'UTC' })
}

function formatList(items: readonly string[]): string {
  return new Intl.ListFormat(getLocale(), { type: 'conjunction' }).format(items)
}
