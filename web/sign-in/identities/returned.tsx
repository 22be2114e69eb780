/** Continues after a redirect from a provider: signs in, asks for the second factor, or offers to create an account. */
import { useContext, useEffect, useState } from 'preact/hooks'
import { callRoute, pickSession, type Session } from '../../api.js'
import { isKey, t } from '../../language.js'
import { Alert } from '../../parts/form.js'
import { Page } from '../../parts/page.js'
import { toPlainText } from '../../plain-text.js'
import { explainError, type Message } from '../../explain-error.js'
import { PageContext } from '../../page-context.js'
import { SecondFactor, type PendingSignIn } from '../views/second-factor.js'
import type { RedirectResult } from './going.js'
import { CreateAccount, type RegistrationOffer } from './new-account.js'

interface RedirectResultProps {
  readonly returned: RedirectResult
  /** App id of the session. */
  readonly appId: string
  readonly onSignedIn: (session: Session) => void
  /** Returns to signing in, optionally with a message. */
  readonly onBack: (why?: string) => void
}

interface IdentityLookup {
  readonly provider: { readonly label: string }
  readonly username?: string
  readonly registration?: RegistrationOffer
}

/** Shows what follows the return from an identity provider: signing in, a second factor, a new account or an error. */
export function RedirectResultView({ returned, appId, onBack, onSignedIn }: RedirectResultProps) {
  const { facts } = useContext(PageContext)
  const [pending, setPending] = useState<PendingSignIn>()
  const [lookup, setLookup] = useState<IdentityLookup>()
  const [isNew, setNew] = useState(false)
  const [problem, setProblem] = useState<Message>()
  const proof = 'ticket' in returned ? { ticket: returned.ticket, secret: returned.secret } : undefined

  const signIn = async (username: string): Promise<void> => {
    const result = await callRoute<{ token?: string; mfaToken?: string }>(
      'POST',
      `${username}/auth/identity`,
      {
        body: { ...proof, appId }
      }
    )
    if (result.mfaToken) setPending({ login: { username, appId }, mfaToken: result.mfaToken })
    else onSignedIn({ username, ...pickSession(result) })
  }
  const lookUp = async (): Promise<void> => {
    const result = await callRoute<IdentityLookup>('POST', 'auth/identity', { body: { ...proof } })
    if (result.username === undefined) setLookup(result)
    else await signIn(result.username)
  }
  useEffect(() => {
    if (proof) lookUp().catch((error: unknown) => setProblem(explainError(error).message))
  }, [])

  const back = (
    <button type="button" class="button" onClick={() => onBack()}>
      {t('identity.back')}
    </button>
  )
  if ('problem' in returned) {
    const label = facts.providers.find(({ name }) => name === returned.provider)?.label ?? ''
    const key = `identity.problem-${returned.problem}`
    return (
      <Page
        key="problem"
        seal="none"
        title={t('identity.failed')}
        lead={t(isKey(key) ? key : 'identity.problem-invalid', { provider: label })}
      >
        <div class="actions start">{back}</div>
      </Page>
    )
  }
  if (problem !== undefined)
    return (
      <Page key="refused" seal="none" title={t('identity.failed')}>
        <Alert>{problem}</Alert>
        <div class="actions start">{back}</div>
      </Page>
    )
  if (pending) return <SecondFactor pending={pending} onSignedIn={onSignedIn} onBack={onBack} />
  if (!lookup?.registration) return <p role="status">{t('identity.busy')}</p>
  const { provider, registration } = lookup
  const mayRegister = registration.isOpen || facts.registration !== 'closed'
  if (mayRegister && (isNew || !registration.isEmailTaken))
    return (
      <CreateAccount
        offer={registration}
        label={provider.label}
        appId={appId}
        identity={proof!}
        onRegistered={signIn}
        back={back}
      />
    )
  const isTaken = registration.isEmailTaken
  const values = { provider: provider.label, email: toPlainText(registration.email ?? '') }
  return (
    <Page
      key="unknown"
      seal="none"
      title={t(isTaken ? 'identity.taken' : 'identity.unknown')}
      lead={t(isTaken ? 'identity.takenLead' : 'identity.unknownLead', values)}
    >
      <div class="actions start">
        {back}
        {mayRegister && (
          <button type="button" class="text" onClick={() => setNew(true)}>
            {t('identity.another')}
          </button>
        )}
      </div>
    </Page>
  )
}
