/** A labelled select of a form, with a hint and an error message. */
import type { ComponentChildren } from 'preact'
import { useFieldProblem } from './form.js'

interface Props {
  readonly name: string
  readonly label: string
  readonly value: string
  readonly options: readonly (readonly [value: string, label: string])[]
  readonly hint?: ComponentChildren
  readonly isDisabled: boolean
}

/** Shows a choice of a form with its hint and its problem. */
export function SelectField({ name, label, value, options, hint, isDisabled }: Props) {
  const problem = useFieldProblem(name)
  return (
    <div class="field">
      <label for={name}>{label}</label>
      <div class="line">
        <select
          id={name}
          name={name}
          disabled={isDisabled}
          aria-invalid={problem !== undefined}
          {...(hint === undefined ? {} : { 'aria-describedby': `${name}-hint` })}
        >
          {options.map(([each, text]) => (
            <option key={each} value={each} selected={each === value}>
              {text}
            </option>
          ))}
        </select>
      </div>
      {problem && <p class="problem">{problem}</p>}
      {hint !== undefined && (
        <p class="hint" id={`${name}-hint`}>
          {hint}
        </p>
      )}
    </div>
  )
}
