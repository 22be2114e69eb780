/** A list of measures from which those to ask for are chosen. */
import { useState } from 'preact/hooks'
import { t } from '../../language.js'
import { foldText } from '../../plain-text.js'
import { getMeasureName, type AnyMeasure } from '../data/measures.js'

/** What is asked for instead of single measures. */
export const everything = '*'

interface ChoiceProps {
  readonly measures: readonly AnyMeasure[]
  /** Ids of measures. */
  readonly chosen: ReadonlySet<string>
  readonly onChoose: (chosen: ReadonlySet<string>) => void
  /** Ids of those without which nothing is to be given. */
  readonly required?: ReadonlySet<string>
  readonly onRequire?: (required: ReadonlySet<string>) => void
}

/** Chooses measures. Without `onRequire`, none is required. */
export function MeasureChoice({ measures, chosen, onChoose, required, onRequire }: ChoiceProps) {
  const [words, setWords] = useState('')
  const items = [
    { id: everything, name: t('shell.allData') },
    ...measures.map(measure => ({ id: measure.id, name: getMeasureName(measure) }))
  ]
  const wanted = foldText(words)
  const shown = items.filter(({ id, name }) => chosen.has(id) || foldText(name).includes(wanted))
  return (
    <fieldset class="asked">
      <legend>{t('people.whatData')}</legend>
      <div class="field">
        <input
          type="search"
          aria-label={t('people.searchMeasures')}
          placeholder={t('people.searchMeasures')}
          value={words}
          onInput={event => setWords(event.currentTarget.value)}
        />
      </div>
      <ul class="box">
        {shown.map(({ id, name }) => (
          <li key={id}>
            <label class="tick">
              <input
                type="checkbox"
                checked={chosen.has(id)}
                onChange={event => onChoose(toggle(chosen, id, event.currentTarget.checked))}
              />
              <span>{name}</span>
            </label>
            {required && onRequire && chosen.has(id) && (
              <label class="tick small">
                <input
                  type="checkbox"
                  checked={required.has(id)}
                  onChange={event => onRequire(toggle(required, id, event.currentTarget.checked))}
                />
                {t('people.required')}
              </label>
            )}
          </li>
        ))}
      </ul>
    </fieldset>
  )
}

function toggle(set: ReadonlySet<string>, id: string, isIn: boolean): Set<string> {
  const next = new Set(set)
  if (isIn) next.add(id)
  else next.delete(id)
  return next
}
