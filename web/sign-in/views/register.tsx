/** Creates an account. */
import type { ComponentChildren } from 'preact'
import { useContext, useEffect, useState } from 'preact/hooks'
import { callRoute, Refusal, send, type Session } from '../../api.js'
import { getLanguage, rich, t } from '../../language.js'
import { Field } from '../../parts/field.js'
import { Alert, Form, type Values } from '../../parts/form.js'
import { Link } from '../../parts/link.js'
import { Page } from '../../parts/page.js'
import { PageContext } from '../../page-context.js'
import { ProviderButtons, RedirectResultView } from '../identities/buttons.js'
import { takeRedirectResult } from '../identities/going.js'
import { NewAccountFields } from './new-account-fields.js'

interface Props {
  readonly lead?: ComponentChildren
  /** The app that opened the page. */
  readonly appId: string
  readonly referer?: string | undefined
  readonly onSignedIn: (session: Session) => void
}

/** Shows the form that creates an account, and signs in. Checks the invitation of a link first. */
export function Register({ lead, appId, referer, onSignedIn }: Props) {
  const { facts, info } = useContext(PageContext)
  // The fragment of a link is not sent to servers.
  const [invitation] = useState(() => new URLSearchParams(location.hash.slice(1)).get('invitation') ?? '')
  const [isInvited, setInvited] = useState(facts.registration === 'invited')
  const [isUsed, setUsed] = useState(false)
  const [returned, setReturned] = useState(() => takeRedirectResult(false))
  useEffect(() => {
    // Shown before the user fills in the form. If the check fails, registering reports the error.
    if (invitation === '' || facts.registration !== 'invited') return
    checkInvitation(invitation).then(
      valid => setUsed(!valid),
      () => undefined
    )
  }, [invitation])

  const register = async (values: Values): Promise<void> => {
    const { username, password, email, invitationToken } = values
    const body = {
      appId,
      username: username!.trim().toLowerCase(),
      password,
      email: email!.trim(),
      language: getLanguage(),
      ...(invitationToken ? { invitationToken: invitationToken.trim() } : {}),
      ...(referer ? { referer } : {})
    }
    try {
      const result = await callRoute<{ username: string; apiEndpoint?: string }>('POST', 'reg/users', {
        body
      })
      const { apiEndpoint, username: name } = result
      // Missing if the session is kept in a cookie.
      const token = apiEndpoint === undefined ? {} : { token: new URL(apiEndpoint).username }
      onSignedIn({ username: name, ...token })
    } catch (error) {
      if (error instanceof Refusal && JSON.stringify(error.data ?? '').includes('invitationToken'))
        setInvited(true)
      throw error
    }
  }

  if (returned)
    return (
      <RedirectResultView
        returned={returned}
        appId={appId}
        onSignedIn={onSignedIn}
        onBack={() => setReturned(undefined)}
      />
    )
  const isClosed = facts.registration === 'closed'
  if (isClosed && !facts.providers.some(({ isOpen }) => isOpen))
    return (
      <Page
        title={t('register.closed')}
        lead={t(invitation === '' ? 'register.closedLead' : 'register.closedInvited', { service: info.name })}
      >
        <SignInLink />
      </Page>
    )
  return (
    <Page
      title={t('register.title', { service: info.name })}
      lead={lead ?? t(getLeadKey(isInvited, isUsed ? '' : invitation))}
    >
      {isUsed && <Alert>{t('register.used')}</Alert>}
      {facts.hasPasswords && !isClosed && (
        <Form action={t('register.action')} onSubmit={register}>
          <NewAccountFields {...(facts.passwordReset === 'mail' ? { emailHint: t('hint.email') } : {})} />
          {isInvited && (
            <Field
              name="invitationToken"
              label={t('field.invitation')}
              {...(invitation === '' ? { hint: t('hint.invitation') } : {})}
              input={{ autocomplete: 'off', maxLength: 99, defaultValue: isUsed ? '' : invitation }}
            />
          )}
          <Terms />
        </Form>
      )}
      <ProviderButtons isOnly={!facts.hasPasswords || isClosed} isOpen={isClosed} />
      <SignInLink />
    </Page>
  )
}

function getLeadKey(
  isInvited: boolean,
  invitation: string
): 'register.lead' | 'register.leadInvited' | 'register.welcome' {
  if (!isInvited) return 'register.lead'
  return invitation === '' ? 'register.leadInvited' : 'register.welcome'
}

/** Returns whether an invitation is still valid. */
async function checkInvitation(invitation: string): Promise<boolean> {
  const response = await send('POST', 'reg/access/invitationtoken/check', {
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ invitationtoken: invitation.trim() })
  })
  return !response.ok || (await response.text()).trim() !== 'false'
}

function SignInLink() {
  return (
    <ul class="links">
      <li>
        {t('register.known')} <Link to="access">{t('register.signIn')}</Link>
      </li>
    </ul>
  )
}

/** The terms of use, if the operator has published any. Renders nothing otherwise. */
function Terms() {
  const { terms, home } = useContext(PageContext).info
  if (terms === '' || terms === home) return null
  if (!/^https?:/.test(terms)) return <p class="hint">{terms}</p>
  const link = (
    <a href={terms} target="_blank" rel="noopener noreferrer">
      {t('register.terms')}
    </a>
  )
  return <p class="hint">{rich('register.agree', { terms: link })}</p>
}
