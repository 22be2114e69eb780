/** Signs in with username and password, and a second factor if necessary; or with an identity provider. */
import type { ComponentChildren } from 'preact'
import { useContext, useState } from 'preact/hooks'
import { call, tokenOf, usernameOf, type Session } from '../../api.js'
import { t } from '../../language.js'
import { Field, Password } from '../../parts/field.js'
import { Form, type Values } from '../../parts/form.js'
import { Link } from '../../parts/link.js'
import { Page } from '../../parts/page.js'
import { Surroundings } from '../../surroundings.js'
import { ProviderButtons } from '../identities/buttons.js'
import { takeReturned } from '../identities/going.js'
import { ReturnedView } from '../identities/lazy.js'
import { PasskeyEntry, useLater } from '../passkeys/later.js'
import type * as Closing from '../closing/closing.js'
import { addClosingTexts } from '../closing/texts.js'
import { Challenge, type Pending } from './challenge.js'

interface Props {
  readonly title: string
  readonly lead?: ComponentChildren
  /** The app id of the session. */
  readonly appId: string
  readonly onSignedIn: (session: Session) => void
}

export function SignIn({ title, lead, appId, onSignedIn: onEntered }: Props) {
  // The username from an emailed link.
  const given = new URLSearchParams(location.search).get('username') ?? ''
  const { facts } = useContext(Surroundings)
  const [pending, setPending] = useState<Pending>()
  const [notice, setNotice] = useState<string>()
  const [returned, setReturned] = useState(() => takeReturned(false))

  // The scheduled deletion of an account must be cancelled first.
  const [closing, setClosing] = useState<Session>()
  const closingView = useLater<typeof Closing>(closing !== undefined, async () => {
    await addClosingTexts()
    return await import('../closing/closing.js')
  })
  const onSignedIn = (session: Session): void =>
    session.deletion === undefined ? onEntered(session) : setClosing(session)

  const signIn = async (values: Values): Promise<void> => {
    setNotice(undefined)
    const username = await usernameOf(values['username']!)
    const login = { username, password: values['password']!, appId }
    const result = await call<{ token?: string; mfaToken?: string; deletion?: number }>(
      'POST',
      `${username}/auth/login`,
      {
        body: login
      }
    )
    if (result.mfaToken) setPending({ login, mfaToken: result.mfaToken })
    else onSignedIn({ username, ...tokenOf(result) })
  }

  if (closing?.deletion !== undefined) {
    const { deletion, ...session } = closing
    return closingView ? (
      <closingView.Closing
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
    return <ReturnedView returned={returned} appId={appId} onSignedIn={onSignedIn} onBack={back} />
  }
  if (pending)
    return (
      <Challenge
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
      <PasskeyEntry appId={appId} onSignedIn={onSignedIn} />
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
