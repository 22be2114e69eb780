/** A new account. */
import type { ComponentChildren } from 'preact'
import { useContext, useState } from 'preact/hooks'
import { call, Refusal, type Session } from '../api.js'
import { language, rich, t } from '../language.js'
import { Field, NewPassword } from '../parts/field.js'
import { Form, type Values } from '../parts/form.js'
import { Link } from '../parts/link.js'
import { Page } from '../parts/page.js'
import { Surroundings } from '../surroundings.js'

interface Props {
  readonly lead?: ComponentChildren
  /** The app by which the person has come here. */
  readonly appId: string
  readonly referer?: string | undefined
  readonly onSignedIn: (session: Session) => void
}

export function Register({ lead, appId, referer, onSignedIn }: Props) {
  const { facts, info } = useContext(Surroundings)
  // From a link, in the part that browsers keep to themselves.
  const [invitation] = useState(() => new URLSearchParams(location.hash.slice(1)).get('invitation') ?? '')
  const [isInvited, setInvited] = useState(invitation !== '' || facts.registration === 'invited')

  const register = async (values: Values): Promise<void> => {
    const { username, password, email, invitationToken } = values
    const body = {
      appId,
      username: username!.trim().toLowerCase(),
      password,
      email: email!.trim(),
      language: language(),
      ...(invitationToken ? { invitationToken: invitationToken.trim() } : {}),
      ...(referer ? { referer } : {})
    }
    try {
      const answer = await call<{ username: string; apiEndpoint: string }>('POST', 'reg/users', { body })
      onSignedIn({
        username: answer.username,
        token: new URL(answer.apiEndpoint).username,
        hasSecondStep: false
      })
    } catch (error) {
      if (error instanceof Refusal && JSON.stringify(error.data ?? '').includes('invitationToken'))
        setInvited(true)
      throw error
    }
  }

  if (facts.registration === 'closed')
    return (
      <Page title={t('register.closed')} lead={t('register.closedLead', { service: info.name })}>
        <ToSignIn />
      </Page>
    )
  return (
    <Page title={t('register.title', { service: info.name })} lead={lead ?? t('register.lead')}>
      <Form action={t('register.action')} onSubmit={register}>
        <Field
          name="username"
          label={t('field.username')}
          hint={t('hint.username')}
          input={{
            autocomplete: 'username',
            minLength: 5,
            maxLength: 60,
            pattern: '\\s*[A-Za-z0-9][A-Za-z0-9\\-]*[A-Za-z0-9]\\s*'
          }}
        />
        <Field
          name="email"
          label={t('field.email')}
          {...(facts.passwordReset === 'mail' ? { hint: t('hint.email') } : {})}
          input={{ type: 'email', autocomplete: 'email', maxLength: 300 }}
        />
        <NewPassword label={t('field.password')} />
        {isInvited && (
          <Field
            name="invitationToken"
            label={t('field.invitation')}
            hint={t('hint.invitation')}
            input={{ autocomplete: 'off', maxLength: 99, defaultValue: invitation }}
          />
        )}
        <Terms />
      </Form>
      <ToSignIn />
    </Page>
  )
}

function ToSignIn() {
  return (
    <ul class="links">
      <li>
        {t('register.known')} <Link to="access">{t('register.signIn')}</Link>
      </li>
    </ul>
  )
}

/** What one agrees to, where the operator has written it down. */
function Terms() {
  const { terms, home } = useContext(Surroundings).info
  if (terms === '' || terms === home) return null
  if (!/^https?:/.test(terms)) return <p class="hint">{terms}</p>
  const link = (
    <a href={terms} target="_blank" rel="noopener noreferrer">
      {t('register.terms')}
    </a>
  )
  return <p class="hint">{rich('register.agree', { terms: link })}</p>
}
