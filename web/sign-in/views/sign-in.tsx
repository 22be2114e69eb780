/** Signs in with username and password, and a second factor if necessary; or with an identity provider. */
import type { ComponentChildren } from 'preact'
import { useContext, useState } from 'preact/hooks'
import { callRoute, pickSession, findUsername, type Session } from '../../api.js'
import { t } from '../../language.js'
import { Field, Password } from '../../parts/field.js'
import { Form, type Values } from '../../parts/form.js'
import { Link } from '../../parts/link.js'
import { Page } from '../../parts/page.js'
import { PageContext } from '../../page-context.js'
import { ProviderButtons, RedirectResultView } from '../identities/buttons.js'
import { takeRedirectResult } from '../identities/going.js'
import { LazyPasskeySignIn, useLazyModule } from '../passkeys/later.js'
import type * as ScheduledDeletion from '../closing/scheduled-deletion.js'
import { addClosingTexts } from '../closing/texts.js'
import { SecondFactor, type PendingSignIn } from './second-factor.js'

interface Props {
  readonly title: string
  readonly lead?: ComponentChildren
  /** The app id of the session. */
  readonly appId: string
  readonly onSignedIn: (session: Session) => void
}

/** Renders the sign-in form and the steps after it. `onSignedIn` receives the session once all are complete. */
export function SignIn({ title, lead, appId, onSignedIn: onEntered }: Props) {
  // The username from an emailed link.
  const given = new URLSearchParams(location.search).get('username') ?? ''
  const { facts } = useContext(PageContext)
  const [pending, setPending] = useState<PendingSignIn>()
  const [notice, setNotice] = useState<string>()
  const [returned, setReturned] = useState(() => takeRedirectResult(false))

  // The scheduled deletion of an account must be cancelled first.
  const [closing, setClosing] = useState<Session>()
  const closingView = useLazyModule<typeof ScheduledDeletion>(closing !== undefined, async () => {
    await addClosingTexts()
    return await import('../closing/scheduled-deletion.js')
  })
  const onSignedIn = (session: Session): void =>
    session.deletion === undefined ? onEntered(session) : setClosing(session)

  const signIn = async (values: Values): Promise<void> => {
    setNotice(undefined)
    const username = await findUsername(values['username']!)
    const login = { username, password: values['password']!, appId }
    const result = await callRoute<{ token?: string; mfaToken?: string; deletion?: number }>(
      'POST',
      `${username}/auth/login`,
      {
        body: login
      }
    )
    if (result.mfaToken) setPending({ login, mfaToken: result.mfaToken })
    else onSignedIn({ username, ...pickSession(result) })
  }

  if (closing?.deletion !== undefined) {
    const { deletion, ...session } = closing
    return closingView ? (
      <closingView.ScheduledDeletion
        session={session}
        deletion={deletion}
        onKept={() => onEntered(session)}
        onLeave={() => {
          setPending(undefined)
          setReturned(undefined)
          setClosing(undefined)
        }}
      />
    ) : null
  }
  if (returned) {
    const back = (why?: string): void => {
      setNotice(why)
      setReturned(undefined)
    }
    return <RedirectResultView returned={returned} appId={appId} onSignedIn={onSignedIn} onBack={back} />
  }
  if (pending)
    return (
      <SecondFactor
        pending={pending}
        onSignedIn={onSignedIn}
        onBack={why => {
          setNotice(why)
          setPending(undefined)
        }}
      />
    )
  return (
    <Page title={title} lead={lead}>
      {notice && (
        <p class="notice" role="status">
          {notice}
        </p>
      )}
      {facts.hasPasswords && (
        <Form action={t('signIn.action')} onSubmit={signIn}>
          <Field
            name="username"
            label={t('field.usernameOrEmail')}
            input={{ autocomplete: 'username webauthn', maxLength: 300, defaultValue: given }}
          />
          <Password name="password" label={t('field.password')} />
        </Form>
      )}
      <LazyPasskeySignIn appId={appId} onSignedIn={onSignedIn} />
      <ProviderButtons isOnly={!facts.hasPasswords} />
      {facts.hasPasswords && (
        <ul class="links">
          <li>
            <Link to="reset-password">{t('signIn.forgotten')}</Link>
          </li>
          {facts.registration !== 'closed' && (
            <li>
              {t('signIn.new')} <Link to="register">{t('signIn.register')}</Link>
            </li>
          )}
        </ul>
      )}
    </Page>
  )
}
