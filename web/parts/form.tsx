/** A form with one primary action. It validates its fields, shows errors and moves the focus to the first one. */
import { createContext, type ComponentChildren } from 'preact'
import { useContext, useEffect, useRef, useState } from 'preact/hooks'
import { t } from '../language.js'
import { explainError, type Problem } from '../explain-error.js'

/** The errors of the form, for its fields. */
const FormProblem = createContext<Problem | undefined>(undefined)

export type Values = Readonly<Record<string, string>>

interface Props {
  /** Label of the button. */
  readonly action: string
  readonly onSubmit: (values: Values) => Promise<void>
  readonly children?: ComponentChildren
  /** Secondary actions, shown below. */
  readonly others?: ComponentChildren
  /** Whether the button looks like one of several actions. */
  readonly isQuiet?: boolean
}

/** Shows a form. Checks fields before it calls `onSubmit`, and shows the error if that fails; waits if the service says so. */
export function Form({ action, onSubmit, children, others, isQuiet = false }: Props) {
  const [problem, setProblem] = useState<Problem>()
  const [isBusy, setBusy] = useState(false)
  const form = useRef<HTMLFormElement>(null)
  const seconds = useCountdown(problem?.retryAt)
  useEffect(() => {
    if (problem) form.current?.querySelector<HTMLElement>('[aria-invalid=true], [role=alert]')?.focus()
  }, [problem])

  const submit = async (event: Event): Promise<void> => {
    event.preventDefault()
    if (isBusy || seconds > 0 || !form.current) return
    const wrong = validateForm(form.current)
    if (wrong.size > 0) return setProblem({ message: t('error.fields'), fields: wrong })
    setBusy(true)
    setProblem(undefined)
    try {
      await onSubmit(Object.fromEntries(new FormData(form.current)) as Values)
    } catch (error) {
      setProblem(explainError(error))
    }
    setBusy(false)
    return undefined
  }

  return (
    <FormProblem.Provider value={problem}>
      <form ref={form} noValidate onSubmit={event => void submit(event)} aria-busy={isBusy}>
        {children}
        {problem && <Alert>{problem.message}</Alert>}
        <div class="actions">
          <button
            type="submit"
            class={isQuiet ? 'button' : 'button primary'}
            aria-disabled={isBusy || seconds > 0}
          >
            {seconds > 0 ? t('form.wait', { time: formatClock(seconds) }) : isBusy ? t('loading') : action}
          </button>
          {others}
        </div>
      </form>
    </FormProblem.Provider>
  )
}

/** An error message, announced by screen readers. */
export function Alert({ children }: { readonly children: ComponentChildren }) {
  return (
    <div class="notice bad" role="alert" tabIndex={-1}>
      {children}
    </div>
  )
}

/**
 * Returns the error message of a field of the surrounding form. Undefined if it has none, or outside a form.
 */
export function useFieldProblem(name: string): string | undefined {
  return useContext(FormProblem)?.fields.get(name)
}

function formatClock(seconds: number): string {
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}

/** Returns the whole seconds until `at` (milliseconds); 0 when it has passed. */
function useCountdown(at: number | undefined): number {
  const [now, setNow] = useState(() => Date.now())
  const left = at === undefined ? 0 : Math.max(0, Math.ceil((at - now) / 1000))
  useEffect(() => {
    if (at === undefined) return undefined
    setNow(Date.now())
    const timer = setInterval(() => setNow(Date.now()), 250)
    const end = setTimeout(() => clearInterval(timer), at - Date.now() + 1000)
    return () => {
      clearInterval(timer)
      clearTimeout(end)
    }
  }, [at])
  return left
}

/** Returns error messages by field name; none for a valid form. */
function validateForm(form: HTMLFormElement): Map<string, string> {
  const problems = new Map<string, string>()
  for (const field of form.elements)
    if (field instanceof HTMLInputElement) {
      const message = validateField(field)
      if (message !== undefined && !problems.has(field.name)) problems.set(field.name, message)
    }
  return problems
}

/** Returns what is wrong with a field; `undefined` if nothing is. */
function validateField({
  value,
  required,
  minLength,
  pattern,
  type,
  validity
}: HTMLInputElement): string | undefined {
  if (value.trim() === '') return required ? t('error.missing') : undefined
  if (minLength > 0 && value.length < minLength) return t('error.short', { count: minLength })
  if (type === 'email' && validity.typeMismatch) return t('error.email-invalid')
  if (pattern !== '' && validity.patternMismatch) return t('error.username-invalid')
  return undefined
}
