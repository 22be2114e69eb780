/** Chooses what a field with a value measures, and its unit. */
import { useId } from 'preact/hooks'
import { t } from '../../../language.js'
import { foldText } from '../../../plain-text.js'
import { getMeasureName, getShownType, type AnyMeasure } from '../../data/measures.js'
import { getUnit } from '../../data/units.js'
import type { BodyField } from './body-fields.js'
import type { Target } from './build-mapping.js'
import { guessUnit, isNumber, isOfNumbers } from './guess-mapping.js'

interface Props {
  readonly field: BodyField
  readonly target: Target
  readonly measure: AnyMeasure | undefined
  readonly measures: readonly AnyMeasure[]
  /** True if another field says the unit. */
  readonly hasUnit: boolean
  readonly onChange: (target: Target) => void
}

/** Shows the choice of measure by name, and of the unit if it has several and no field of the body gives it. */
export function ValueTarget({ field, target, measure, measures, hasUnit, onChange }: Props) {
  const id = useId()
  const offered = measure && isOfNumbers(measure) ? (measure.unit?.offered ?? []) : []
  return (
    <fieldset class="target">
      <legend>{t('connect.map.target', { name: field.name || t('connect.map.body') })}</legend>
      <div class="field">
        <label for={id}>{t('connect.map.measure')}</label>
        <div class="line">
          <input
            id={id}
            type="text"
            list={`${id}-measures`}
            autocomplete="off"
            maxLength={100}
            value={target.name}
            aria-describedby={`${id}-hint`}
            onInput={event => {
              const name = event.currentTarget.value
              const found = measures.find(each => foldText(getMeasureName(each)) === foldText(name.trim()))
              onChange({ name, ...(found && { unit: guessUnit(field.pointer, found) }) })
            }}
          />
        </div>
        <datalist id={`${id}-measures`}>
          {measures
            .filter(each => fitsMeasure(each, field))
            .map(each => (
              <option key={each.id} value={getMeasureName(each)} />
            ))}
        </datalist>
        <p class="hint" id={`${id}-hint`}>
          {t('connect.map.measureHint')}
        </p>
      </div>
      {measure && offered.length > 1 && !hasUnit && (
        <div class="field">
          <label for={`${id}-unit`}>{t('connect.map.unit')}</label>
          <select
            id={`${id}-unit`}
            value={target.unit ?? getShownType(measure)}
            onChange={event => onChange({ ...target, unit: event.currentTarget.value })}
          >
            {offered.map(type => (
              <option key={type} value={type}>
                {describeUnit(type)}
              </option>
            ))}
          </select>
        </div>
      )}
    </fieldset>
  )
}

/** Returns true if a measure may hold the values of a field. */
function fitsMeasure(measure: AnyMeasure, field: BodyField): boolean {
  if (isNumber(field) && isOfNumbers(measure)) return true
  return typeof field.value === 'string'
    ? measure.kind === 'category' || measure.kind === 'text'
    : measure.kind === 'category'
}

/** Describes a unit in words: `kilograms (kg)`. */
function describeUnit(type: string): string {
  const { name, symbol } = getUnit(type) ?? { name: type, symbol: type }
  return name === symbol ? symbol : `${name} (${symbol})`
}
