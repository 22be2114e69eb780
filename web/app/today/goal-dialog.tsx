/** The dialog that sets the goal of a measure. */
import { useState } from 'preact/hooks'
import { goalsKey, parseGoals, type Goal } from '../../../schemas/measures/goals.js'
import { convertUnit } from '../../../schemas/units.js'
import { t, type Key } from '../../language.js'
import { Form, type Values } from '../../parts/form.js'
import { createFieldError } from '../events/field-errors.js'
import { useAccount } from '../data/account.js'
import { getMeasureName, getShownType, type AnyMeasure } from '../data/measures.js'
import { formatEditable, parseTypedNumber } from '../data/typed-numbers.js'
import { getUnit } from '../data/units.js'
import { Dialog } from '../parts/dialog.js'
import { FormRow } from '../parts/form-row.js'
import { formatTime } from '../parts/format-time.js'
import { showToast } from '../parts/toast.js'

interface Props {
  readonly measure: AnyMeasure
  readonly goal: Goal | undefined
  readonly onClose: () => void
}

type Kind = 'least' | 'most' | 'between'
const kinds: readonly Kind[] = ['least', 'most', 'between']
const weekdays = [1, 2, 3, 4, 5, 6, 7]

/** Shows the form. The goal is stored in the profile; removing it shows a toast that can undo it. */
export default function GoalDialog({ measure, goal, onClose }: Props) {
  const account = useAccount()
  const [kind, setKind] = useState<Kind>(
    goal?.min === undefined && goal ? 'most' : goal?.max === undefined ? 'least' : 'between'
  )
  const [period, setPeriod] = useState<Goal['period']>(goal?.period ?? 'day')
  const scale = getScale(measure)
  const store = async (next: Goal | undefined): Promise<void> => {
    const goals = new Map(parseGoals(account.profile.value))
    if (next) goals.set(measure.id, next)
    else goals.delete(measure.id)
    await account.updateProfile({ [goalsKey]: Object.fromEntries(goals) })
  }
  const save = async (values: Values): Promise<void> => {
    await store(readGoal(values, kind, period, scale))
    onClose()
  }
  const remove = async (): Promise<void> => {
    await store(undefined)
    onClose()
    showToast(t('today.goalRemoved'), async () => await store(goal))
  }
  const renderNumber = (name: 'min' | 'max', label: Key) => (
    <FormRow name={name} label={t(label as 'today.atLeast')}>
      {controlProps => (
        <div class="line">
          <input
            {...controlProps}
            type="text"
            inputMode="decimal"
            autocomplete="off"
            required
            defaultValue={goal?.[name] === undefined ? '' : formatEditable(scale.toShown(goal[name]))}
          />
          {scale.unit !== '' && <span class="unit">{scale.unit}</span>}
        </div>
      )}
    </FormRow>
  )
  return (
    <Dialog title={t('today.goalOf', { name: getMeasureName(measure) })} onClose={onClose}>
      <Form
        action={t('shell.save')}
        onSubmit={save}
        others={
          goal && (
            <button type="button" class="button" onClick={() => void remove()}>
              {t('today.removeGoal')}
            </button>
          )
        }
      >
        <FormRow name="kind" label={t('today.goalKind')}>
          {controlProps => (
            <select {...controlProps} onChange={event => setKind(event.currentTarget.value as Kind)}>
              {kinds.map(each => (
                <option key={each} value={each} selected={each === kind}>
                  {t(`today.kind.${each}`)}
                </option>
              ))}
            </select>
          )}
        </FormRow>
        {kind !== 'most' && renderNumber('min', kind === 'least' ? 'today.goalValue' : 'today.atLeast')}
        {kind !== 'least' && renderNumber('max', kind === 'most' ? 'today.goalValue' : 'today.atMost')}
        <FormRow name="period" label={t('today.period')}>
          {controlProps => (
            <select
              {...controlProps}
              onChange={event => setPeriod(event.currentTarget.value as Goal['period'])}
            >
              {(['day', 'week'] as const).map(each => (
                <option key={each} value={each} selected={each === period}>
                  {t(`today.period.${each}`)}
                </option>
              ))}
            </select>
          )}
        </FormRow>
        {period === 'day' && (
          <fieldset class="weekdays">
            <legend>{t('today.weekdays')}</legend>
            {weekdays.map(each => (
              <label key={each}>
                <input
                  type="checkbox"
                  name={`weekday${each}`}
                  defaultChecked={goal?.weekdays?.includes(each) ?? true}
                />
                {/* 5 January 1970 was a Monday. */}
                {formatTime((each + 3.5) * 86_400, { weekday: 'short', timeZone: 'UTC' })}
              </label>
            ))}
          </fieldset>
        )}
      </Form>
    </Dialog>
  )
}

/** The unit in which the user enters numbers of a goal. */
interface Scale {
  readonly unit: string
  toShown(value: number): number
  toStored(value: number): number
}

/** Returns the unit in which goals of a measure are entered, and how to convert them. */
function getScale(measure: AnyMeasure): Scale {
  if (measure.kind === 'span')
    return { unit: 'h', toShown: value => value / 3600, toStored: value => value * 3600 }
  const stored = measure.types[0]!
  if (stored === 'mood/rating')
    return { unit: '/10', toShown: value => value * 10, toStored: value => value / 10 }
  const shown = getShownType(measure)
  const convert = (value: number, from: string, to: string): number =>
    convertUnit(value, from, to, measure.molarMass ?? false) ?? value
  return {
    unit: getUnit(shown)?.symbol ?? '',
    toShown: value => convert(value, stored, shown),
    toStored: value => convert(value, shown, stored)
  }
}

/** Reads the form. Throws the problems of its fields. */
function readGoal(values: Values, kind: Kind, period: Goal['period'], scale: Scale): Goal {
  const problems = new Map<string, string>()
  const read = (name: 'min' | 'max'): number | undefined => {
    const typed = parseTypedNumber(values[name] ?? '')
    if ('number' in typed) return scale.toStored(typed.number)
    problems.set(name, typed.problem)
    return undefined
  }
  const min = kind === 'most' ? undefined : read('min')
  const max = kind === 'least' ? undefined : read('max')
  if (min !== undefined && max !== undefined && min > max) problems.set('max', 'small')
  if (problems.size > 0) throw createFieldError(problems)
  const chosen = weekdays.filter(each => values[`weekday${each}`] !== undefined)
  const isPartial = period === 'day' && chosen.length > 0 && chosen.length < weekdays.length
  return {
    period,
    ...(min === undefined ? {} : { min }),
    ...(max === undefined ? {} : { max }),
    ...(isPartial ? { weekdays: chosen } : {})
  }
}
