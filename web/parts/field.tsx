/** A labelled form field, with a hint and an error message. */
import { useState } from 'preact/hooks'
import type { ComponentChildren } from 'preact'
import { t } from '../language.js'
import { useFieldProblem } from './form.js'

/** Attributes of an input. */
interface Input {
  readonly type?: string
  readonly autocomplete?: string
  readonly inputMode?: 'numeric' | 'url'
  readonly required?: boolean
  readonly disabled?: boolean
  readonly minLength?: number
  readonly maxLength?: number
  readonly pattern?: string
  readonly defaultValue?: string
  readonly class?: string
}

interface Props {
  readonly name: string
  readonly label: string
  readonly hint?: ComponentChildren
  readonly input?: Input
  /** Shown at the end of the line, inside the border. */
  readonly button?: ComponentChildren
}

/** A single-line field, required unless `input` says otherwise. */
export function Field({ name, label, hint, input, button }: Props) {
  const problem = useFieldProblem(name)
  const described = [problem && `${name}-problem`, hint && `${name}-hint`].filter(Boolean).join(' ')
  return (
    <div class="field">
      <label for={name}>{label}</label>
      <div class="line">
        <input
          id={name}
          name={name}
          type="text"
          required
          autocapitalize="none"
          spellcheck={false}
          aria-invalid={problem !== undefined}
          {...(described ? { 'aria-describedby': described } : {})}
          {...(input as object)}
        />
        {button}
      </div>
      {problem && (
        <p class="problem" id={`${name}-problem`}>
          {problem}
        </p>
      )}
      {hint && (
        <p class="hint" id={`${name}-hint`}>
          {hint}
        </p>
      )}
    </div>
  )
}

interface PasswordProps {
  readonly name: string
  readonly label: string
  readonly hint?: string
  /** Whether a new password is being chosen. */
  readonly isNew?: boolean
  /** True if the field may stay empty: for passwords that are not passwords of accounts of this service. */
  readonly isOptional?: boolean
}

/** A password field with a button that shows what is typed. */
export function Password({ name, label, hint, isNew = false, isOptional = false }: PasswordProps) {
  const [isShown, setShown] = useState(false)
  return (
    <Field
      name={name}
      label={label}
      {...(hint ? { hint } : {})}
      input={{
        type: isShown ? 'text' : 'password',
        autocomplete: isOptional ? 'off' : isNew ? 'new-password' : 'current-password',
        ...(isOptional ? { required: false } : {}),
        ...(isNew ? { minLength: 6, maxLength: 100 } : {})
      }}
      button={
        <button
          type="button"
          class="reveal"
          aria-label={isShown ? t('field.hidePassword') : t('field.showPassword')}
          aria-controls={name}
          onClick={() => setShown(!isShown)}
        >
          {isShown ? t('field.hide') : t('field.show')}
        </button>
      }
    />
  )
}

/** A field for a new password. */
export function NewPassword({
  name = 'password',
  label
}: {
  readonly name?: string
  readonly label?: string
}) {
  return <Password isNew name={name} label={label ?? t('field.newPassword')} hint={t('hint.password')} />
}

/** A hidden field that tells password managers whose password it is. */
export function HiddenUsername({ username }: { readonly username: string }) {
  return (
    <input
      class="unseen"
      type="text"
      name="username"
      autocomplete="username"
      value={username}
      readOnly
      tabIndex={-1}
      aria-hidden="true"
    />
  )
}
