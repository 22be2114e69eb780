/** Validates a form before it is sent, with messages in the page's language rather than the browser's. */
import { t } from '../language.js'

/** Returns error messages by field name; none for a valid form. */
export function validateForm(form: HTMLFormElement): Map<string, string> {
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
