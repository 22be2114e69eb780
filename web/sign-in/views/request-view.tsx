/** Handles an app's request: signing in or registering, the decision, and the result. */
import { useEffect, useState } from 'preact/hooks'
import { signOut, type Session } from '../../api.js'
import { decide, type AuthRequest, type Decision, type NoRequest as Reason } from '../auth-request.js'
import { rich, t } from '../../language.js'
import type { PageId } from '../../page-context.js'
import { Consent } from './consent.js'
import { RequestUnavailable } from './error-pages.js'
import { Register } from './register.js'
import { SignIn } from './sign-in.js'
import { Page } from '../../parts/page.js'

interface Props {
  readonly request: AuthRequest
  readonly place: PageId
}

interface End {
  readonly isAccepted: boolean
  readonly target: string | undefined
}

/** Sessions started here end with the request, so they have their own app id. */
const signInAppId = 'coffer-sign-in'

/** Shows the steps of a request for access: signing in or registering, consent, result. */
export function RequestView({ request, place }: Props) {
  const { app, referer, requestingAppId } = request
  const [session, setSession] = useState<Session>()
  const [end, setEnd] = useState<End>()
  const [late, setLate] = useState<Reason>()
  const endSession = (): void => {
    if (session) signOut(session)
    setSession(undefined)
  }
  const onDecided = async (decision: Decision): Promise<void> => {
    const outcome = await decide(request, decision, decision.status === 'ACCEPTED' ? session : undefined)
    endSession()
    if ('late' in outcome) setLate(outcome.late)
    else setEnd({ isAccepted: decision.status === 'ACCEPTED', target: outcome.target })
  }

  if (late) return <RequestUnavailable reason={late} />
  if (end) return <RequestResult app={app} {...end} />
  if (session)
    return <Consent request={request} session={session} onDecided={onDecided} onLeave={endSession} />
  const values = { app: <strong>{app}</strong> }
  return place === 'register' ? (
    <Register
      lead={rich('register.leadApp', values)}
      appId={requestingAppId}
      referer={referer}
      onSignedIn={setSession}
    />
  ) : (
    <SignIn
      title={t('signIn.title')}
      lead={rich('signIn.leadApp', values)}
      appId={signInAppId}
      onSignedIn={setSession}
    />
  )
}

interface ResultProps {
  readonly isAccepted: boolean
  readonly app: string
  /** The app's URL; without one, the app waits behind this window. */
  readonly target: string | undefined
}

/** Shows how a request was decided, and returns to the app or closes the window. */
function RequestResult({ isAccepted, app, target }: ResultProps) {
  useEffect(() => {
    // Replaces the history entry, because a decided request cannot be used again.
    if (target !== undefined) location.replace(target)
    else window.close()
  }, [target])
  const title = isAccepted ? t('finished.accepted', { app }) : t('finished.refused')
  return (
    <Page
      title={title}
      seal={isAccepted ? 'done' : 'none'}
      lead={target === undefined ? t('finished.close') : t('finished.return', { app })}
    >
      {target !== undefined && (
        <div class="actions">
          <a class="button primary" href={target} rel="noreferrer">
            {t('finished.continue', { app })}
          </a>
        </div>
      )}
    </Page>
  )
}
