/** A part of the account page that is shown alone, at an address of its own, such as the form for another password. */
import type { Session } from '../../api.js'
import { t } from '../../language.js'

export interface PartProps {
  readonly session: Session
  /** Shows the whole page again. */
  readonly onBack: () => void
}

/** Returns to the account page, beside the action of a form. */
export function BackButton({ onBack }: Pick<PartProps, 'onBack'>) {
  return (
    <button type="button" class="button" onClick={onBack}>
      {t('form.back')}
    </button>
  )
}
