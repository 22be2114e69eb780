/** The dialog in which a measure of the user's own is made or changed. */
import { useState } from 'preact/hooks'
import { Form as InputForm, type Values } from '../../parts/form.js'
import { t } from '../../language.js'
import { toPlainText } from '../../plain-text.js'
import { createFieldError } from '../events/field-errors.js'
import { formatEditable, parseTypedNumber } from '../data/typed-numbers.js'
import { getUnit } from '../data/units.js'
import { Dialog } from '../parts/dialog.js'
import { FormRow } from '../parts/form-row.js'
import { MeasureIcon } from '../parts/measure-icon.js'
import { forms, hues, icons, maxValues, numberTypes, type Draft, type Form } from './own-measures.js'

interface Props {
  readonly title: string
  readonly draft: Draft
  /** True if there is data: what is recorded can no longer be changed. */
  readonly hasData: boolean
  readonly onSave: (draft: Draft) => Promise<void>
  readonly onClose: () => void
}

/**
 * Shows the form. With `hasData`, what would change existing values cannot be edited. Awaits `onSave`, then
 * closes.
 */
export function MeasureForm({ title, draft, hasData, onSave, onClose }: Props) {
  const [form, setForm] = useState<Form>(draft.form)
  const [hue, setHue] = useState(draft.hue)
  const isNumber = form === 'number' || form === 'total'
  const types = numberTypes.includes(draft.type) ? numberTypes : [...numberTypes, draft.type]
  const save = async (values: Values): Promise<void> => {
    await onSave({ ...readDraft(values, draft, hasData), hue })
    onClose()
  }
  return (
    <Dialog title={title} onClose={onClose}>
      <InputForm action={t('shell.save')} onSubmit={save}>
        <FormRow name="name" label={t('measures.name')}>
          {controlProps => (
            <div class="line">
              <input
                {...controlProps}
                type="text"
                required
                maxLength={100}
                autocomplete="off"
                defaultValue={draft.name}
              />
            </div>
          )}
        </FormRow>
        <FormRow name="form" label={t('measures.form')} hint={hasData ? t('measures.hasData') : undefined}>
          {controlProps => (
            <select
              {...controlProps}
              disabled={hasData}
              onChange={event => setForm(event.currentTarget.value as Form)}
            >
              {forms.map(each => (
                <option key={each} value={each} selected={each === form}>
                  {t(`measures.form.${each}`)}
                </option>
              ))}
            </select>
          )}
        </FormRow>
        {isNumber && (
          <FormRow name="type" label={t('measures.unit')}>
            {controlProps => (
              <select {...controlProps} disabled={hasData}>
                {types.map(each => (
                  <option key={each} value={each} selected={each === draft.type}>
                    {describeUnit(each)}
                  </option>
                ))}
              </select>
            )}
          </FormRow>
        )}
        {form === 'scale' && (
          <div class="bounds">
            {(['from', 'to'] as const).map(name => (
              <FormRow key={name} name={name} label={t(`measures.${name}`)}>
                {controlProps => (
                  <div class="line">
                    <input
                      {...controlProps}
                      type="text"
                      inputMode="numeric"
                      required
                      readOnly={hasData}
                      autocomplete="off"
                      defaultValue={String(draft[name])}
                    />
                  </div>
                )}
              </FormRow>
            ))}
          </div>
        )}
        {isNumber && (
          <FormRow name="quick" label={t('measures.quick')} hint={t('measures.quickHint')}>
            {controlProps => (
              <div class="line">
                <input
                  {...controlProps}
                  type="text"
                  autocomplete="off"
                  defaultValue={draft.quick.map(formatEditable).join('; ')}
                />
              </div>
            )}
          </FormRow>
        )}
        <fieldset class="picks">
          <legend>{t('measures.icon')}</legend>
          {(icons.includes(draft.icon) ? icons : [draft.icon, ...icons]).map((icon, index) => (
            <label key={icon}>
              <input
                type="radio"
                name="icon"
                value={icon}
                defaultChecked={icon === draft.icon}
                aria-label={t('measures.iconNumber', { number: String(index + 1) })}
              />
              <MeasureIcon icon={icon} hue={hue} />
            </label>
          ))}
        </fieldset>
        <fieldset class="picks">
          <legend>{t('measures.colour')}</legend>
          {(hues.includes(hue) ? hues : [hue, ...hues]).map((each, index) => (
            <label key={each}>
              <input
                type="radio"
                name="hue"
                value={each}
                checked={each === hue}
                aria-label={t('measures.colourNumber', { number: String(index + 1) })}
                onChange={() => setHue(each)}
              />
              <MeasureIcon icon="" hue={each} />
            </label>
          ))}
        </fieldset>
      </InputForm>
    </Dialog>
  )
}

/** Describes a unit in words: `kilograms (kg)`; a general text for a type without one. */
export function describeUnit(type: string): string {
  const { name, symbol } = getUnit(type) ?? { name: '', symbol: '' }
  if (symbol === '') return t('measures.noUnit')
  return name === symbol ? symbol : `${name} (${symbol})`
}

/** Reads the form. Throws the problems of its fields. */
function readDraft(values: Values, draft: Draft, hasData: boolean): Draft {
  const problems = new Map<string, string>()
  const name = toPlainText(values['name'] ?? '').trim()
  if (name === '') problems.set('name', 'missing')
  const form = hasData ? draft.form : ((values['form'] ?? draft.form) as Form)
  const readWhole = (field: 'from' | 'to'): number => {
    const typed = parseTypedNumber(values[field] ?? String(draft[field]))
    if ('number' in typed && Number.isSafeInteger(typed.number)) return typed.number
    problems.set(field, 'number')
    return draft[field]
  }
  const [from, to] = hasData ? [draft.from, draft.to] : [readWhole('from'), readWhole('to')]
  if (form === 'scale' && problems.size === 0) {
    if (to <= from) problems.set('to', 'small')
    else if (to - from >= maxValues) problems.set('to', 'large')
  }
  const quick = (values['quick'] ?? '').split(/[;\n]/).filter(text => text.trim() !== '')
  const numbers = quick.flatMap(text => {
    const typed = parseTypedNumber(text)
    if ('number' in typed) return [typed.number]
    problems.set('quick', typed.problem)
    return []
  })
  if (numbers.length > maxValues) problems.set('quick', 'long')
  if (problems.size > 0) throw createFieldError(problems)
  return {
    name,
    form,
    from,
    to,
    quick: numbers,
    hue: draft.hue,
    icon: values['icon'] ?? draft.icon,
    type: hasData ? draft.type : (values['type'] ?? draft.type)
  }
}
