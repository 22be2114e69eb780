/** Chooses what a column of a table contains: common types first, all others on demand. */
import { useState } from 'preact/hooks'
import { t } from '../../language.js'
import { useAccount } from '../data/account.js'
import { getTypeName } from '../data/event-types.js'
import type { ContentSchema, EventTypes } from '../data/model.js'
import { getUnit } from '../data/units.js'
import { showFailure } from '../parts/toast.js'

/** A type that a column may contain; with a field for contents with several values. */
interface Measure {
  readonly type: string
  readonly field?: string
}

export const roles = ['time', 'clock', 'end', 'source'] as const

const commonMeasures: readonly Measure[] = [
  { type: 'mass/kg' },
  { type: 'mass/lb' },
  { type: 'frequency/bpm' },
  { type: 'blood-pressure/mmhg-bpm', field: 'systolic' },
  { type: 'blood-pressure/mmhg-bpm', field: 'diastolic' },
  { type: 'blood-pressure/mmhg-bpm', field: 'rate' },
  { type: 'density/mmol-l' },
  { type: 'density/mg-dl' },
  { type: 'temperature/c' },
  { type: 'temperature/f' },
  { type: 'ratio/percent' },
  { type: 'count/steps' },
  { type: 'count/generic' },
  { type: 'length/km' },
  { type: 'length/m' },
  { type: 'length/cm' },
  { type: 'energy/kcal' },
  { type: 'volume/ml' },
  { type: 'time/h' },
  { type: 'time/min' },
  { type: 'time/s' },
  { type: 'note/txt' }
]

/** Value of the option that loads all measures. */
const moreOption = 'more'

interface Props {
  /** Name of the column. */
  readonly name: string
  /** A role, or {@link toOptionValue} of a measure; empty for none. */
  readonly value: string
  /** Measures of the mapping, which may not be among the common ones. */
  readonly own: readonly Measure[]
  readonly onChange: (value: string) => void
}

/** Shows the choice: common measures and `own`, and an option that loads all types and adds them. */
export function ColumnChoice({ name, value, own, onChange }: Props) {
  const account = useAccount()
  const [types, setTypes] = useState<EventTypes>()
  const first = [
    ...commonMeasures,
    ...own.filter(each => !commonMeasures.some(known => toOptionValue(known) === toOptionValue(each)))
  ]
  const others = types
    ? listMeasures(types).filter(each => !first.some(known => toOptionValue(known) === toOptionValue(each)))
    : []
  return (
    <select
      aria-label={name}
      value={value}
      onChange={event => {
        const chosen = event.currentTarget.value
        if (chosen !== moreOption) return onChange(chosen)
        event.currentTarget.value = value
        account.readEventTypes().then(setTypes, showFailure)
      }}
    >
      <option value="">{t('import.skipColumn')}</option>
      {roles.map(role => (
        <option key={role} value={role}>
          {t(`import.role.${role}`)}
        </option>
      ))}
      {renderOptions(first)}
      {types ? (
        <optgroup label={t('import.otherMeasures')}>{renderOptions(others)}</optgroup>
      ) : (
        <option value={moreOption}>{t('import.moreMeasures')}</option>
      )}
    </select>
  )
}

/** Returns the option value of a measure. */
export function toOptionValue({ field = '', type }: Measure): string {
  return `${type} ${field}`
}

function renderOptions(measures: readonly Measure[]) {
  return measures.map(measure => (
    <option key={toOptionValue(measure)} value={toOptionValue(measure)}>
      {getLabel(measure)}
    </option>
  ))
}

/** Returns the label of a measure: `Weight (kg)`, `Blood pressure: systolic`. */
function getLabel({ field, type }: Measure): string {
  if (field !== undefined) return `${getTypeName(type)}: ${field}`
  const { name, symbol } = getUnit(type) ?? { name: '', symbol: '' }
  return symbol === ''
    ? getTypeName(type)
    : `${getTypeName(type)} (${name === symbol ? symbol : `${name}, ${symbol}`})`
}

/** Returns all types and fields of the directory that are numbers, sorted by label. */
function listMeasures(types: EventTypes): readonly Measure[] {
  return Object.entries(types)
    .filter(([type]) => !type.startsWith('series:') && !type.endsWith('/*'))
    .flatMap(([type, schema]): readonly Measure[] =>
      isNumber(schema)
        ? [{ type }]
        : Object.entries(schema.properties ?? {})
            .filter(([, each]) => isNumber(each))
            .map(([field]) => ({ type, field }))
    )
    .toSorted((a, b) => getLabel(a).localeCompare(getLabel(b)))
}

function isNumber({ type }: ContentSchema): boolean {
  return [type].flat().some(each => each === 'number' || each === 'integer')
}
