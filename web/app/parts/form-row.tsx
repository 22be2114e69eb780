/** A labelled control of a form, with a hint and the error message of the field. */
import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'
import { useFieldProblem } from '../../parts/form.js'

/** Attributes that connect a control with its label and messages. */
export interface ControlAttributes {
  readonly id: string
  readonly name: string
  readonly 'aria-invalid': boolean
  readonly 'aria-describedby'?: string
}

interface Props {
  readonly name: string
  readonly label: string
  readonly hint?: ComponentChildren
  readonly class?: string
  /** Renders the control. */
  readonly children: (controlProps: ControlAttributes) => ComponentChildren
}

/** Shows the row. `children` receives the props that tie the control to its label, hint and error. */
export function FormRow({ name, label, hint, class: style = '', children }: Props) {
  const id = useId()
  const problem = useFieldProblem(name)
  const describedBy = [problem && `${id}-problem`, hint && `${id}-hint`].filter(Boolean).join(' ')
  return (
    <div class={`field ${style}`}>
      <label for={id}>{label}</label>
      {children({
        id,
        name,
        'aria-invalid': problem !== undefined,
        ...(describedBy ? { 'aria-describedby': describedBy } : {})
      })}
      {problem && (
        <p class="problem" id={`${id}-problem`}>
          {problem}
        </p>
      )}
      {hint && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  )
}
