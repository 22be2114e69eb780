/** The page of an emailed link: signs in, then confirms the email address. */
import { useContext, useEffect, useState } from 'preact/hooks'
import { callAs, Refusal, signOut, type Session } from '../../api.js'
import { readEmail, type Email } from '../email.js'
import { rich, t } from '../../language.js'
import { Action } from '../../parts/action.js'
import { Page } from '../../parts/page.js'
import { explainError, type Message } from '../../explain-error.js'
import { PageContext } from '../../page-context.js'
import { BackLink } from './back-link.js'
import { ErrorPage } from './error-pages.js'
import { SignIn } from './sign-in.js'

const appId = 'coffer-account'

/** Shows the page of a link that confirms a new address, after a sign-in. */
export function ConfirmEmail() {
  const [token] = useState(takeToken)
  const [session, setSession] = useState<Session>()
  const { info } = useContext(PageContext)
  if (token === undefined)
    return (
      <Page title={t('confirmEmail.none')} seal="over" lead={t('confirmEmail.noneLead')}>
        <BackLink to="account" />
      </Page>
    )
  if (!session)
    return (
      <SignIn
        appId={appId}
        title={t('confirmEmail.title')}
        lead={t('confirmEmail.signIn', { service: info.name })}
        onSignedIn={setSession}
      />
    )
  return <ConfirmAddress token={token} session={session} />
}

/** Lets the user, who has signed in, confirm the address with the token of the link; then signs out. */
function ConfirmAddress({ token, session }: { readonly token: string; readonly session: Session }) {
  const [email, setEmail] = useState<Email>()
  const [problem, setProblem] = useState<Message>()
  const [isDone, setDone] = useState(false)
  useEffect(() => {
    readEmail(session)
      .then(setEmail)
      .catch((error: unknown) => setProblem(explainError(error).message))
  }, [session])
  const confirm = async (): Promise<void> => {
    try {
      await callAs(session, 'POST', 'account/confirm-email', { token })
    } catch (error) {
      if (error instanceof Refusal && error.id === 'invalid-parameter')
        throw new Refusal('confirm-link', error.message)
      throw error
    }
    signOut(session)
    setDone(true)
  }
  if (problem !== undefined) return <ErrorPage message={problem} />
  if (!email) return null
  const address = <strong>{email.address}</strong>
  if (isDone || email.isConfirmed)
    return (
      <Page
        key="done"
        seal="done"
        title={t('confirmEmail.done')}
        lead={rich('confirmEmail.doneLead', { address })}
      >
        <BackLink to="account" />
      </Page>
    )
  return (
    <Page key="question" title={t('confirmEmail.question')} lead={rich('confirmEmail.lead', { address })}>
      <p class="notice">{t('confirmEmail.caution')}</p>
      <div class="actions">
        <Action class="button primary" onClick={confirm}>
          {t('confirmEmail.action')}
        </Action>
      </div>
      <BackLink to="account" />
    </Page>
  )
}

/** Returns the token of the link, which is in the URL's fragment, and removes it from there. */
function takeToken(): string | undefined {
  const token = new URLSearchParams(location.hash.slice(1)).get('token') ?? undefined
  if (token !== undefined) history.replaceState(null, '', location.pathname + location.search)
  return token
}
