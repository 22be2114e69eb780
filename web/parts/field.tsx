/** A labelled field of a form, with a hint and with what is wrong with it. */
import { useState } from 'preact/hooks'
import type { ComponentChildren } from 'preact'
import { t } from '../language.js'
import { useFieldProblem } from './form.js'

/** What may be said of an input. */
interface Input {
  readonly type?: string
  readonly autocomplete?: string
  readonly inputMode?: 'numeric'
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
  /** Stands at the end of the line, within the frame. */
  readonly button?: ComponentChildren
}

/** One line of text; it has to be filled in unless `input` says otherwise. */
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
  /** Whether it is to be chosen now. */
  readonly isNew?: boolean
}

/** A password, which can be shown while it is typed. */
export function Password({ name, label, hint, isNew = false }: PasswordProps) {
  const [isShown, setShown] = useState(false)
  return (
    <Field
      name={name}
      label={label}
      {...(hint ? { hint } : {})}
      input={{
        type: isShown ? 'text' : 'password',
        autocomplete: isNew ? 'new-password' : 'current-password',
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

/** The password chosen again. */
export function NewPassword({
  name = 'password',
  label
}: {
  readonly name?: string
  readonly label?: string
}) {
  return <Password isNew name={name} label={label ?? t('field.newPassword')} hint={t('hint.password')} />
}

/** For password managers: whose password this is. */
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
