/** What people look after by themselves: password, second factor, sessions. */
import type { Session } from '../api.js'
import { rich, t } from '../language.js'
import { Link } from '../parts/link.js'
import { Page } from '../parts/page.js'

interface Props {
  readonly session: Session
  readonly onLeave: () => void
}

export function Account({ session, onLeave }: Props) {
  return (
    <Page
      title={t('account.title')}
      lead={rich('account.lead', { username: <strong>{session.username}</strong> })}
    >
      <section>
        <h2>{t('account.password')}</h2>
        <p>
          <Link to="change-password">{t('change.title')}</Link>
        </p>
      </section>
      <div class="actions">
        <button type="button" class="button" onClick={onLeave}>
          {t('account.signOut')}
        </button>
      </div>
    </Page>
  )
}
