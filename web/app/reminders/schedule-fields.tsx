/** The part of the form that says when a reminder is due. */
import { t } from '../../language.js'
import { formatDate } from '../../../schemas/zones.js'
import type { Schedule } from '../shell/describe-schedule.js'
import { formatWeekday } from '../parts/format-time.js'
import { Icon } from '../parts/icon.js'
import { getToday, getZone } from './reminders.js'

interface Props {
  readonly value: Schedule
  readonly onChange: (schedule: Schedule) => void
}

type Rhythm = 'daily' | 'weekly' | 'every'

/** Monday to Sunday; 5 January 1970 was a Monday. */
const weekdays = [1, 2, 3, 4, 5, 6, 7]
const maxTimes = 24

/** Shows the fields, for up to 24 times a day. Changing the rhythm discards the days of the other one. */
export function ScheduleFields({ value, onChange }: Props) {
  const { days, everyDays, times } = value
  const rhythm: Rhythm = days ? 'weekly' : everyDays === undefined ? 'daily' : 'every'
  const choose = (chosen: Rhythm): void => {
    const { days: _days, everyDays: _every, startsOn: _start, ...rest } = value
    if (chosen === 'weekly') onChange({ ...rest, days: weekdays })
    else if (chosen === 'every')
      onChange({ ...rest, everyDays: 2, startsOn: formatDate(getToday(getZone())) })
    else onChange(rest)
  }
  return (
    <>
      <fieldset class="times">
        <legend>{t('reminders.times')}</legend>
        {times.map((time, index) => (
          <span key={index}>
            <input
              type="time"
              required
              aria-label={t('reminders.time', { number: String(index + 1) })}
              value={time}
              onInput={event => onChange({ ...value, times: times.with(index, event.currentTarget.value) })}
            />
            {times.length > 1 && (
              <button
                type="button"
                class="square"
                aria-label={t('reminders.removeTime', { time })}
                onClick={() => onChange({ ...value, times: times.filter((_, other) => other !== index) })}
              >
                <Icon name="close" />
              </button>
            )}
          </span>
        ))}
        {times.length < maxTimes && (
          <button
            type="button"
            class="button"
            onClick={() => onChange({ ...value, times: [...times, '20:00'] })}
          >
            {t('reminders.addTime')}
          </button>
        )}
      </fieldset>
      <div class="field">
        <label for="rhythm">{t('reminders.rhythm')}</label>
        <select id="rhythm" onChange={event => choose(event.currentTarget.value as Rhythm)}>
          {(['daily', 'weekly', 'every'] as const).map(each => (
            <option key={each} value={each} selected={each === rhythm}>
              {t(`reminders.rhythm.${each}`)}
            </option>
          ))}
        </select>
      </div>
      {days && (
        <fieldset class="weekdays">
          <legend>{t('reminders.weekdays')}</legend>
          {weekdays.map(day => (
            <label key={day} class="tick">
              <input
                type="checkbox"
                checked={days.includes(day)}
                // At least one day stays.
                disabled={days.length === 1 && days.includes(day)}
                onChange={event => {
                  const chosen = event.currentTarget.checked
                    ? [...days, day]
                    : days.filter(each => each !== day)
                  onChange({ ...value, days: chosen.toSorted((a, b) => a - b) })
                }}
              />
              <span>{formatWeekday(day)}</span>
            </label>
          ))}
        </fieldset>
      )}
      {everyDays !== undefined && (
        <div class="field">
          <label for="everyDays">{t('reminders.everyDays')}</label>
          <input
            id="everyDays"
            type="number"
            min={1}
            max={366}
            required
            value={everyDays}
            onInput={event => onChange({ ...value, everyDays: Number(event.currentTarget.value) })}
          />
        </div>
      )}
      <div class="field">
        <label for="until">{t('reminders.until')}</label>
        <input
          id="until"
          type="date"
          value={value.until ?? ''}
          onInput={event => {
            const { until: _until, ...rest } = value
            const until = event.currentTarget.value
            onChange(until === '' ? rest : { ...rest, until })
          }}
        />
      </div>
    </>
  )
}
