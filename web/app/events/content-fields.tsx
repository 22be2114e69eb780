/** Form fields of a content: a control for each value, and special controls for some types. */
import { useState } from 'preact/hooks'
import { isKey, t } from '../../language.js'
import { getChoiceName, getTypeName } from '../data/event-types.js'
import { getDecimalMark } from '../data/typed-numbers.js'
import { getUnit } from '../data/units.js'
import { FormRow, type ControlAttributes } from '../parts/form-row.js'
import type { ContentField, Entries } from './fields.js'
import { LocationButton } from './location-button.js'

interface Props {
  readonly type: string
  readonly fields: readonly ContentField[]
  readonly entries: Entries
  /** Types with other units; empty if the unit cannot be changed. */
  readonly others: readonly string[]
  readonly onType: (type: string) => void
  /** The latest value, shown as placeholder. */
  readonly last?: string | undefined
  /** Label of a single value, such as the name of its stream. */
  readonly label?: string | undefined
}

/** Shows the fields, required ones first; several empty optional ones are folded. The form reads the values. */
export function ContentFields({ type, fields, entries, others, onType, last, label }: Props) {
  const group = type.replace('/', ' ')
  const required = fields.filter(({ isRequired }) => isRequired)
  const optional = fields.filter(({ isRequired }) => !isRequired)
  const isFolded = required.length > 0 && optional.length > 2 && optional.every(({ name }) => !entries[name])
  const control = (field: ContentField) => (
    <FormRow
      key={field.name}
      name={field.name}
      label={getLabel(field, type, label)}
      hint={getHint(field)}
      class={field.kind}
    >
      {controlProps => (
        <Control
          field={field}
          controlProps={controlProps}
          entry={entries[field.name] ?? ''}
          type={type}
          others={field.path.length === 0 ? others : []}
          onType={onType}
          last={field.path.length === 0 ? last : undefined}
        />
      )}
    </FormRow>
  )
  return (
    <div class={`content ${group}`}>
      {required.map(control)}
      {type === 'position/wgs84' && <LocationButton />}
      {isFolded ? (
        <details class="more">
          <summary>{t('events.more')}</summary>
          <div>{optional.map(control)}</div>
        </details>
      ) : (
        optional.map(control)
      )}
    </div>
  )
}

interface ControlProps extends Pick<Props, 'type' | 'others' | 'onType' | 'last'> {
  readonly field: ContentField
  readonly controlProps: ControlAttributes
  readonly entry: string
}

/** Shows the control for one value of a content, by its kind. */
function Control({ field, controlProps, entry, type, others, onType, last }: ControlProps) {
  switch (field.kind) {
    case 'number':
      return type === 'mood/rating' ? (
        <MoodSlider controlProps={controlProps} entry={entry} />
      ) : (
        <div class="line">
          <input
            {...controlProps}
            class="num"
            type="text"
            inputMode="decimal"
            autocomplete="off"
            defaultValue={entry}
            placeholder={last}
          />
          <UnitChoice field={field} type={type} others={others} onType={onType} />
        </div>
      )
    case 'choice':
      return (
        <select {...controlProps} defaultValue={entry}>
          <option value="">{t('events.choose')}</option>
          {field.values?.map(value => (
            <option key={String(value)} value={String(value)} selected={String(value) === entry}>
              {getChoiceName(value)}
            </option>
          ))}
        </select>
      )
    case 'boolean':
      return (
        <select {...controlProps} defaultValue={entry}>
          <option value="">{t('events.choose')}</option>
          <option value="true" selected={entry === 'true'}>
            {t('data.yes')}
          </option>
          <option value="false" selected={entry === 'false'}>
            {t('data.no')}
          </option>
        </select>
      )
    case 'long':
      return <textarea {...controlProps} rows={6} defaultValue={entry} />
    case 'list':
      return <textarea {...controlProps} rows={4} defaultValue={entry} />
    case 'json':
      return <textarea {...controlProps} class="json" rows={5} spellcheck={false} defaultValue={entry} />
    default:
      return (
        <div class="line">
          <input {...controlProps} type="text" autocomplete="off" defaultValue={entry} />
        </div>
      )
  }
}

/** Lets the user choose among the types that differ in their unit; otherwise shows the unit, if there is one. */
function UnitChoice({
  field,
  type,
  others,
  onType
}: Pick<ControlProps, 'field' | 'type' | 'others' | 'onType'>) {
  if (others.length > 1)
    return (
      <select
        class="unit"
        aria-label={t('events.unit')}
        onChange={event => onType(event.currentTarget.value)}
      >
        {others.map(each => (
          <option key={each} value={each} selected={each === type}>
            {getUnit(each)?.symbol || getTypeName(each)}
          </option>
        ))}
      </select>
    )
  const unit = field.path.length === 0 ? getUnit(type)?.symbol : getFieldUnit(field)
  return unit ? <span class="unit">{unit}</span> : null
}

/** A slider from worst to best, in tenths. */
function MoodSlider({
  controlProps,
  entry
}: {
  readonly controlProps: ControlAttributes
  readonly entry: string
}) {
  const [value, setValue] = useState(entry === '' ? 0.5 : Number(entry.replace(',', '.')))
  const isInTenths = Number.isInteger(Math.round(value * 1e9) / 1e8)
  return (
    <div class="scale">
      <span>{t('events.worst')}</span>
      <input
        {...controlProps}
        type="range"
        min={Math.min(0, value)}
        max="1"
        step={isInTenths ? '0.1' : 'any'}
        value={value}
        aria-valuetext={`${Math.round(value * 100) / 10}/10`}
        onInput={event => setValue(Number(event.currentTarget.value))}
      />
      <span>{t('events.best')}</span>
      <output class="num">{`${String(Math.round(value * 100) / 10).replace('.', getDecimalMark())}/10`}</output>
    </div>
  )
}

function getLabel({ path, isRequired }: ContentField, type: string, label: string | undefined): string {
  if (path.length === 0) return label ?? getTypeName(type)
  const key = `events.field.${path.at(-1)!}`
  const name = isKey(key) ? t(key) : path.join(' › ')
  return isRequired || type.startsWith('blood-pressure/') ? name : t('events.optional', { name })
}

function getHint({ kind, description = '', path }: ContentField): string | undefined {
  if (kind === 'json') return t('events.jsonHint')
  if (kind === 'list') return t('events.listHint')
  // Units are shown beside the number.
  return getFieldUnit({ description, path }) === undefined && path.length > 0 && description !== ''
    ? description
    : undefined
}

/** Returns the unit of a number in an object, from its description in the schema. */
function getFieldUnit({
  description = '',
  path
}: Pick<ContentField, 'description' | 'path'>): string | undefined {
  if (path.at(-1) === 'rate') return 'bpm'
  const [first = ''] = description.split(';')
  return unitsByDescription[first]
}

const unitsByDescription: Readonly<Record<string, string>> = {
  mmHg: 'mmHg',
  Metres: 'm',
  'Metres per second': 'm/s',
  'Degrees clockwise from north': '°',
  'Degrees north': '°',
  'Degrees east': '°'
}
