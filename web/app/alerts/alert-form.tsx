/** Adds an alert, with a form that reads like a sentence: when, what, and where to send it. */
import { useState } from 'preact/hooks'
import type { ComponentChildren } from 'preact'
import { t } from '../../language.js'
import { Field } from '../../parts/field.js'
import { Form, type Values } from '../../parts/form.js'
import { ChannelChoice } from '../channels/channel-choice.js'
import { useAccount } from '../data/account.js'
import { getUnitSymbol } from '../data/format-values.js'
import { getMeasureName, getShownType, type AnyMeasure } from '../data/measures.js'
import { buildHref, navigate } from '../route.js'
import { describeCondition, type Condition, type Rule } from './rules.js'

/** What an alert can be about. */
const kinds = ['above', 'below', 'outside', 'total', 'missing', 'words', 'looked'] as const
type Kind = (typeof kinds)[number]

interface Props {
  /** Those that have data. */
  readonly measures: readonly AnyMeasure[]
  /** Id of the measure that is chosen at first. */
  readonly measure: string | null
}

export function AlertForm({ measures, measure }: Props) {
  const { client, username } = useAccount()
  const [kind, setKind] = useState(() => chooseKind(measures, measure))
  const [chosen, setChosen] = useState(measure ?? '')
  const [channelIds, setChannelIds] = useState<readonly string[]>([])
  const offered = measures.filter(each => isOffered(each, kind))
  const current = offered.find(({ id }) => id === chosen) ?? offered[0]
  const submit = async (values: Values): Promise<void> => {
    const condition = readCondition(kind, values, current)
    const { rule } = await client.call<{ rule: Rule }>('rules.create', {
      name: describeCondition(condition, current),
      condition,
      channelIds,
      zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
      showsValues: values['shows'] === 'on',
      ...(values['from'] && values['to'] && { quietHours: { from: values['from'], to: values['to'] } })
    })
    navigate(buildHref(username, { page: 'alerts', id: rule.id }), true)
  }
  return (
    <>
      <h1>{t('alerts.add')}</h1>
      <section class="card panel">
        <Form action={t('alerts.save')} onSubmit={submit}>
          <Select
            name="kind"
            label={t('alerts.when')}
            value={kind}
            onChange={value => setKind(value as Kind)}
          >
            {kinds.map(each => (
              <option key={each} value={each} disabled={!isPossible(measures, each)}>
                {t(`alerts.kind.${each}`)}
              </option>
            ))}
          </Select>
          {current && hasMeasure(kind) && (
            <Select name="measure" label={t('alerts.measure')} value={current.id} onChange={setChosen}>
              {offered.map(each => (
                <option key={each.id} value={each.id}>
                  {getMeasureName(each)}
                </option>
              ))}
            </Select>
          )}
          <ValueFields kind={kind} measure={current} />
          <ChannelChoice value={channelIds} onChange={setChannelIds} />
          <fieldset class="quiet">
            <legend>{t('alerts.quiet')}</legend>
            <Field name="from" label={t('alerts.from')} input={{ type: 'time', required: false }} />
            <Field name="to" label={t('alerts.to')} input={{ type: 'time', required: false }} />
          </fieldset>
          <label class="tick">
            <input type="checkbox" name="shows" />
            <span>{t('alerts.shows')}</span>
          </label>
        </Form>
      </section>
    </>
  )
}

/** Returns the kind that is chosen at first. */
function chooseKind(measures: readonly AnyMeasure[], id: string | null): Kind {
  const chosen = measures.find(measure => measure.id === id)
  const possible = kinds.find(kind => hasMeasure(kind) && isPossible(chosen ? [chosen] : measures, kind))
  return possible ?? 'words'
}

const hasMeasure = (kind: Kind): boolean => kind !== 'words' && kind !== 'looked'

/** Returns whether a condition of a kind can be about a measure. */
function isOffered({ kind: form }: AnyMeasure, kind: Kind): boolean {
  if (kind === 'total') return form === 'sum'
  return kind === 'missing' || form === 'level' || form === 'pair'
}

function isPossible(measures: readonly AnyMeasure[], kind: Kind): boolean {
  return !hasMeasure(kind) || measures.some(measure => isOffered(measure, kind))
}

/** Returns the condition that a form describes. */
function readCondition(kind: Kind, values: Values, measure: AnyMeasure | undefined): Condition {
  const number = Number(values['value'])
  const minutes = Number(values['for'] ?? 0)
  const unit = measure && { measure: measure.id, unit: getShownType(measure) }
  switch (kind) {
    case 'above':
    case 'below':
      return { kind, ...unit, value: number, ...(minutes > 0 && { for: Math.round(minutes * 60) }) }
    case 'outside':
      return { kind, ...(measure && { measure: measure.id }), range: 'usual' }
    case 'missing':
      return { kind, ...(measure && { measure: measure.id }), for: Math.round(number * 3600) }
    case 'total':
      return { kind, ...unit, atLeast: number, by: values['by'] ?? '' }
    case 'words':
      return {
        kind,
        anyOf: (values['words'] ?? '')
          .split(',')
          .map(word => word.trim())
          .filter(word => word !== '')
      }
    default:
      return { kind }
  }
}

function ValueFields({ kind, measure }: { readonly kind: Kind; readonly measure: AnyMeasure | undefined }) {
  const unit = measure ? getUnitSymbol(getShownType(measure)) : ''
  const valueLabel = unit === '' ? t('alerts.value') : t('alerts.valueIn', { unit })
  switch (kind) {
    case 'above':
    case 'below':
      return (
        <>
          <NumberField name="value" label={valueLabel} />
          <NumberField name="for" label={t('alerts.minutes')} isOptional />
        </>
      )
    case 'missing':
      return <NumberField name="value" label={t('alerts.hours')} value="24" />
    case 'total':
      return (
        <>
          <NumberField name="value" label={valueLabel} />
          <Field name="by" label={t('alerts.by')} input={{ type: 'time', defaultValue: '20:00' }} />
        </>
      )
    case 'words':
      return <Field name="words" label={t('alerts.words')} hint={t('alerts.wordsHint')} />
    default:
      return <p class="hint">{t(`alerts.about.${kind}`)}</p>
  }
}

interface NumberProps {
  readonly name: string
  readonly label: string
  readonly value?: string
  readonly isOptional?: boolean
}

function NumberField({ name, label, value = '', isOptional = false }: NumberProps) {
  return (
    <div class="field">
      <label for={name}>{label}</label>
      <div class="line">
        <input
          id={name}
          name={name}
          type="number"
          step="any"
          inputMode="decimal"
          required={!isOptional}
          defaultValue={value}
        />
      </div>
    </div>
  )
}

interface SelectProps {
  readonly name: string
  readonly label: string
  readonly value: string
  readonly onChange: (value: string) => void
  readonly children: ComponentChildren
}

function Select({ name, label, value, onChange, children }: SelectProps) {
  return (
    <div class="field">
      <label for={name}>{label}</label>
      <select id={name} name={name} value={value} onChange={event => onChange(event.currentTarget.value)}>
        {children}
      </select>
    </div>
  )
}
