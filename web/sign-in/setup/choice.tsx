/** A labelled select. */
import { t } from '../../language.js'
import { useFieldProblem } from '../../parts/form.js'

interface Props {
  readonly name: string
  readonly label: string
  readonly value: string
  readonly options: readonly (readonly [value: string, label: string])[]
  /** Source of the value, if it cannot be changed here. */
  readonly setBy: string | undefined
}

export function Choice({ name, label, options, setBy, value }: Props) {
  const problem = useFieldProblem(name)
  return (
    <div class="field">
      <label for={name}>{label}</label>
      <div class="line">
        <select
          id={name}
          name={name}
          disabled={setBy !== undefined}
          aria-invalid={problem !== undefined}
          {...(setBy === undefined ? {} : { 'aria-describedby': `${name}-hint` })}
        >
          {options.map(([each, text]) => (
            <option key={each} value={each} selected={each === value}>
              {text}
            </option>
          ))}
        </select>
      </div>
      {problem && <p class="problem">{problem}</p>}
      {setBy !== undefined && (
        <p class="hint" id={`${name}-hint`}>
          {t('setup.setBy', { source: setBy })}
        </p>
      )}
    </div>
  )
}
