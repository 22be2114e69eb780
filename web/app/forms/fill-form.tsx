/** Asks the questions of a form, and stores the response. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { explainError, type Message } from '../../explain-error.js'
import { t } from '../../language.js'
import { Alert } from '../../parts/form.js'
import { toPlainLines } from '../../plain-text.js'
import { buildResponse, listAsked, type Entries, type Form, type Item } from './questionnaire.js'

interface Props {
  readonly form: Form
  readonly onResponse: (response: object) => Promise<void>
}

/**
 * Shows the questions that apply to the answers so far. Submitting with required answers missing marks them and
 * focuses the first; otherwise awaits `onResponse`.
 */
export function FillForm({ form, onResponse }: Props) {
  const { item: items } = form.questionnaire
  const [entries, setEntries] = useState<Entries>(new Map())
  const [missing, setMissing] = useState<ReadonlySet<string>>(new Set())
  const [problem, setProblem] = useState<Message>()
  const [isBusy, setBusy] = useState(false)
  const element = useRef<HTMLFormElement>(null)
  const asked = listAsked(items, entries)
  useEffect(() => {
    if (missing.size > 0)
      element.current?.querySelector<HTMLElement>('.missing :is(input, textarea)')?.focus()
  }, [missing])
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault()
    if (isBusy) return
    const left = asked.filter(({ linkId, required }) => required && (entries.get(linkId) ?? '').trim() === '')
    setMissing(new Set(left.map(({ linkId }) => linkId)))
    setProblem(left.length > 0 ? t('error.fields') : undefined)
    if (left.length > 0) return
    setBusy(true)
    try {
      await onResponse(buildResponse(items, entries))
    } catch (error) {
      setProblem(explainError(error).message)
    }
    setBusy(false)
  }
  return (
    <form ref={element} noValidate onSubmit={event => void submit(event)} aria-busy={isBusy}>
      {asked.map(item => (
        <Question
          key={item.linkId}
          item={item}
          value={entries.get(item.linkId) ?? ''}
          isMissing={missing.has(item.linkId)}
          onValue={value => setEntries(before => new Map(before).set(item.linkId, value))}
        />
      ))}
      {problem !== undefined && <Alert>{problem}</Alert>}
      <div class="actions">
        <button type="submit" class="button primary" aria-disabled={isBusy}>
          {isBusy ? t('loading') : t('shell.save')}
        </button>
      </div>
    </form>
  )
}

interface QuestionProps {
  readonly item: Item
  readonly value: string
  readonly isMissing: boolean
  readonly onValue: (value: string) => void
}

/** Asks one question, by its type; shows only a text for displays and groups. */
function Question({ item, value, isMissing, onValue }: QuestionProps) {
  const { answerOption = [], linkId, maxLength, required, type } = item
  const text = toPlainLines(item.text ?? '')
  if (type === 'display') return <p class="display">{text}</p>
  if (type === 'group') return text === '' ? null : <h2>{text}</h2>
  const label = required ? text : t('forms.optional', { text })
  const id = `item-${linkId}`
  if (type === 'choice' || type === 'boolean') {
    const options: readonly (readonly [value: string, text: string])[] =
      type === 'boolean'
        ? [
            ['true', t('forms.yes')],
            ['false', t('forms.no')]
          ]
        : answerOption.map(({ valueCoding: { code, display = code } }) => [code, toPlainLines(display)])
    return (
      <fieldset class={isMissing ? 'missing' : ''}>
        <legend>{label}</legend>
        {options.map(([each, shown]) => (
          <label key={each} class="option">
            <input
              type="radio"
              name={id}
              value={each}
              checked={each === value}
              aria-invalid={isMissing}
              onChange={() => onValue(each)}
            />
            <span>{shown}</span>
          </label>
        ))}
        {isMissing && <p class="problem">{t('error.missing')}</p>}
      </fieldset>
    )
  }
  const isNumber = type === 'integer' || type === 'decimal'
  const more = isNumber
    ? { autocomplete: 'off', inputMode: type === 'integer' ? 'numeric' : 'decimal' }
    : { type: type === 'date' ? 'date' : 'text', autocomplete: 'off', maxLength: maxLength ?? 10_000 }
  const shared = {
    id,
    value,
    'aria-invalid': isMissing,
    onInput: (event: preact.TargetedEvent<HTMLInputElement | HTMLTextAreaElement>) =>
      onValue(event.currentTarget.value)
  }
  return (
    <div class={isMissing ? 'field missing' : 'field'}>
      <label for={id}>{label}</label>
      {type === 'text' ? (
        <textarea {...shared} rows={4} maxLength={maxLength ?? 10_000} />
      ) : (
        <div class="line">
          <input {...shared} {...(more as object)} />
        </div>
      )}
      {isMissing && <p class="problem">{t('error.missing')}</p>}
    </div>
  )
}
