/** How often a reminder was followed in the last 30 days: a dot a day, and numbers. */
import { useEffect, useState } from 'preact/hooks'
import { formatDate } from '../../../schemas/zones.js'
import { t } from '../../language.js'
import { useAccount } from '../data/account.js'
import { formatNumber } from '../data/units.js'
import { formatDay } from '../parts/format-time.js'
import { getToday, type Reminder } from './reminders.js'

interface Day {
  readonly day: string
  readonly due: number
  readonly done: number
  readonly skipped: number
  readonly missed: number
}

/** Number of days that are shown. */
const shownDays = 30

/**
 * Shows the dots and numbers; a hint if nothing was due. Renders nothing until they are read, or if that fails.
 */
export function Adherence({ reminder }: { readonly reminder: Reminder }) {
  const days = useDays(reminder)
  if (!days) return null
  const sum = (count: (day: Day) => number): number => days.reduce((total, day) => total + count(day), 0)
  const [due, done, skipped, missed] = [
    sum(day => day.done + day.skipped + day.missed),
    sum(day => day.done),
    sum(day => day.skipped),
    sum(day => day.missed)
  ]
  if (due === 0) return <p class="hint">{t('reminders.noDays')}</p>
  const today = getToday(reminder.zone)
  const byDay = new Map(days.map(day => [day.day, day]))
  const shown = Array.from({ length: shownDays }, (_, index) => formatDate(today - shownDays + 1 + index))
  return (
    <>
      <p class="share">
        {t('reminders.share', {
          percent: formatNumber(Math.round((100 * done) / due)),
          done: formatNumber(done),
          due: formatNumber(due)
        })}
        <small>
          <span class="mark skipped" /> {t('reminders.skipped', { count: skipped })}{' '}
          <span class="mark missed" /> {t('reminders.missed', { count: missed })}
        </small>
      </p>
      <ol class="dots" aria-label={t('reminders.days')}>
        {shown.map(date => {
          const day = byDay.get(date)
          return (
            <li key={date} class={getState(day)} title={describeDay(date, day)}>
              <span class="unseen">{describeDay(date, day)}</span>
            </li>
          )
        })}
      </ol>
    </>
  )
}

function getState(day: Day | undefined): string {
  if (!day) return 'none'
  if (day.done === day.due) return 'whole'
  if (day.done > 0) return 'some'
  return day.missed > 0 ? 'missed' : day.skipped > 0 ? 'skipped' : 'none'
}

function describeDay(date: string, day: Day | undefined): string {
  const name = formatDay(Date.parse(`${date}T12:00:00Z`) / 1000, 'UTC')
  return day
    ? t('reminders.ofDay', { day: name, done: formatNumber(day.done), due: formatNumber(day.due) })
    : t('reminders.notDue', { day: name })
}

/**
 * Returns the days on which a reminder was due; undefined until they are read, and none if they cannot be
 * read.
 */
function useDays(reminder: Reminder): readonly Day[] | undefined {
  const { client } = useAccount()
  const [days, setDays] = useState<readonly Day[]>()
  useEffect(() => {
    const today = getToday(reminder.zone)
    client
      .call<{ days: readonly Day[] }>('reminders.days', {
        id: reminder.id,
        from: formatDate(today - shownDays + 1),
        to: formatDate(today)
      })
      .then(found => setDays(found.days))
      .catch(() => setDays([]))
  }, [client, reminder])
  return days
}
