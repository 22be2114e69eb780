/** The fields of an alert that say when its messages are sent, and what they tell. */
import { t } from '../../language.js'
import { Field } from '../../parts/field.js'
import type { Values } from '../../parts/form.js'
import { NumberField } from './condition-fields.js'
import { formatWeekday } from '../parts/format-time.js'
import { weekdays, type Rule } from './rules.js'

/** Seconds between two messages by default, and seconds per unit of the fields. */
const defaultPause = 3600
const minute = 60

const ticks = [
  ['showsValues', 'alerts.shows'],
  ['tellsRecovery', 'alerts.recovery']
] as const

/** Shows the fields, filled from `rule` or with the defaults. The form reads them with `readMore`. */
export function MoreFields({ rule }: { readonly rule: Rule | undefined }) {
  const { atMostEvery = defaultPause, days, quietHours, remindAfter } = rule ?? {}
  return (
    <>
      <fieldset class="quiet">
        <legend>{t('alerts.quiet')}</legend>
        <Field name="from" label={t('alerts.from')} input={describeTime(quietHours?.from)} />
        <Field name="to" label={t('alerts.to')} input={describeTime(quietHours?.to)} />
      </fieldset>
      <fieldset class="weekdays">
        <legend>{t('alerts.days')}</legend>
        {weekdays.map(day => (
          <label key={day} class="tick">
            <input type="checkbox" name={`day${day}`} defaultChecked={days?.includes(day) ?? true} />
            <span>{formatWeekday(day)}</span>
          </label>
        ))}
      </fieldset>
      <div class="quiet">
        <NumberField
          name="atMostEvery"
          label={t('alerts.atMostEvery')}
          value={String(atMostEvery / minute)}
          isOptional={false}
        />
        <NumberField
          name="remindAfter"
          label={t('alerts.remindAfter')}
          value={remindAfter === undefined ? '' : String(remindAfter / minute)}
          isOptional
        />
      </div>
      {ticks.map(([name, label]) => (
        <label key={name} class="tick">
          <input type="checkbox" name={name} defaultChecked={rule?.[name] ?? false} />
          <span>{t(label)}</span>
        </label>
      ))}
    </>
  )
}

/** Returns what the fields say, as params of `rules.create`, or of `rules.update` if there is a rule. */
export function readMore(values: Values, rule: Rule | undefined): Readonly<Record<string, unknown>> {
  const { from, remindAfter, to } = values
  const days = weekdays.filter(day => values[`day${day}`] === 'on')
  const optional = {
    quietHours: from || to ? { from: from || to, to: to || from } : null,
    // Without any day there would be no messages.
    days: days.length > 0 && days.length < weekdays.length ? days : null,
    remindAfter: remindAfter ? Math.round(Number(remindAfter) * minute) : null
  }
  return {
    ...Object.fromEntries(
      Object.entries(optional).filter(([, value]) => rule !== undefined || value !== null)
    ),
    atMostEvery: Math.round(Number(values['atMostEvery']) * minute),
    ...Object.fromEntries(ticks.map(([name]) => [name, values[name] === 'on']))
  }
}

function describeTime(value: string | undefined): object {
  return { type: 'time', required: false, defaultValue: value ?? '' }
}
