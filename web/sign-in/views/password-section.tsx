/** The password on the account page, which those who sign in otherwise may not have. */
import { useEffect, useState } from 'preact/hooks'
import { callAs, type Session } from '../../api.js'
import { t } from '../../language.js'

interface Props {
  readonly session: Session
  readonly onChange: () => void
}

export function PasswordSection({ session, onChange }: Props) {
  const hasOne = useHasPassword(session)
  return (
    <section>
      <h2>{t('field.password')}</h2>
      <p class="row">
        <span>{t(hasOne ? 'account.passwordLead' : 'change.firstLead')}</span>
        <button
          type="button"
          class="text"
          aria-label={hasOne ? t('change.title') : undefined}
          onClick={onChange}
        >
          {t(hasOne ? 'account.change' : 'change.first')}
        </button>
      </p>
    </section>
  )
}

/** Whether there is a password; most people have one, so that is assumed until it is known. */
export function useHasPassword(session: Session): boolean {
  const [hasOne, setHasOne] = useState(true)
  useEffect(() => {
    callAs<{ hasPassword: boolean }>(session, 'GET', 'passkeys').then(
      ({ hasPassword }) => setHasOne(hasPassword),
      () => undefined
    )
  }, [])
  return hasOne
}
