/** The app without a session: signing in or registering. */
import '../../sign-in/style.css'
import { useContext } from 'preact/hooks'
import type { Session } from '../../api.js'
import { t } from '../../language.js'
import { PageLayout } from '../../parts/page-layout.js'
import { Register } from '../../sign-in/views/register.js'
import { SignIn } from '../../sign-in/views/sign-in.js'
import { PageContext } from '../../page-context.js'
import { navigate } from '../route.js'

/** App id of the session, shown in the list of sessions. */
const appId = 'coffer-app'

interface Props {
  /** Whether a session has just expired. */
  readonly isOver: boolean
  readonly isRegistering: boolean
  readonly onSignedIn: (session: Session) => void
  /** The current language. */
  readonly tag: string
  readonly onLanguage: (tag: string) => void
}

/**
 * Shows the form; `isOver` changes its text. Calls `onSignedIn` with the new session; after registering, opens the start page.
 */
export function SignInPage({ isOver, isRegistering, onSignedIn, tag, onLanguage }: Props) {
  const { info, getHref } = useContext(PageContext)
  const enter = (session: Session): void => {
    if (isRegistering) navigate(getHref('access'), true)
    onSignedIn(session)
  }
  return (
    <div class="door">
      <PageLayout tag={tag} onLanguage={onLanguage}>
        {isRegistering ? (
          <Register appId={appId} onSignedIn={enter} />
        ) : (
          <SignIn
            appId={appId}
            title={t('signIn.title')}
            lead={t(isOver ? 'shell.expired' : 'shell.signIn', { service: info.name })}
            onSignedIn={enter}
          />
        )}
      </PageLayout>
    </div>
  )
}
