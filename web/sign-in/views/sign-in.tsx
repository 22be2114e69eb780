/** Signs in with name and password, then a second factor if necessary; or by a provider. */
import type { ComponentChild, ComponentChildren } from 'preact'
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
import { PasskeyEntry } from '../passkeys/later.js'
import { Challenge, type Pending } from './challenge.js'

interface Props {
  readonly title: string
  readonly lead?: ComponentChildren
  /** The app id of the session. */
  readonly appId: string
  readonly onSignedIn: (session: Session) => void
}

export function SignIn({ title, lead, appId, onSignedIn }: Props) {
  // The user name from a mailed link.
  const given = new URLSearchParams(location.search).get('username') ?? ''
  const { facts } = useContext(Surroundings)
  const [pending, setPending] = useState<Pending>()
  const [notice, setNotice] = useState<string>()
  const [returned, setReturned] = useState(() => takeReturned(false))

  const signIn = async (values: Values): Promise<void> => {
    setNotice(undefined)
    const username = await usernameOf(values['username']!)
    const login = { username, password: values['password']!, appId }
    const answer = await call<{ token?: string; mfaToken?: string }>('POST', `${username}/auth/login`, {
      body: login
    })
    if (answer.mfaToken) setPending({ login, mfaToken: answer.mfaToken })
    else onSignedIn({ username, ...tokenOf(answer), hasSecondStep: false })
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
          <Item>
            <Link to="reset-password">{t('signIn.forgotten')}</Link>
          </Item>
          {facts.registration !== 'closed' && (
            <Item>
              {t('signIn.new')} <Link to="register">{t('signIn.register')}</Link>
            </Item>
          )}
        </ul>
      )}
    </Page>
  )
}

function Item({ children }: { readonly children: ComponentChild | ComponentChild[] }) {
  return <li>{children}</li>
}
