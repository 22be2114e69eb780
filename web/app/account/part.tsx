/** A part of the account page that has a URL of its own, such as the form for a new password. */
import type { Session } from '../../api.js'
import { t } from '../../language.js'

export interface PartProps {
  readonly session: Session
  /** Returns to the account page. */
  readonly onBack: () => void
}

/** A button that returns to the account page, beside the action of a form. */
export function BackButton({ onBack }: Pick<PartProps, 'onBack'>) {
  return (
    <button type="button" class="button" onClick={onBack}>
      {t('form.back')}
    </button>
  )
}
