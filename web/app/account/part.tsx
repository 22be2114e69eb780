/** What the parts of the account page share. Some have a URL of their own, such as the form for a new password. */
import { callAs, type Session } from '../../api.js'
import { t } from '../../language.js'
import { useReading, type Reading } from '../data/reading.js'

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

/** Reads a path of the account. */
export function useRead<T>(session: Session, path: string): Reading<T> {
  return useReading(() => callAs<T>(session, 'GET', path), [session])
}
