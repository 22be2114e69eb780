/** The account page: password, second factor, allowed apps and sessions. */
import type { ComponentChildren } from 'preact'
import { useContext, useState } from 'preact/hooks'
import { callAs, root, type Session } from '../../api.js'
import { rich, t } from '../../language.js'
import { Password } from '../../parts/field.js'
import { Form, type Values } from '../../parts/form.js'
import { Page } from '../../parts/page.js'
import { Surroundings } from '../../surroundings.js'
import { Linked } from '../identities/lazy.js'
import { Allowed } from './allowed.js'
import { ChangeEmail, EmailAddress } from './email-address.js'
import { Enrolment } from './enrolment.js'
import { PasswordSection } from './password-section.js'
import { Sessions } from './sessions.js'

interface Props {
  readonly session: Session
  /** Called when the session has changed. */
  readonly onSession: (session: Session) => void
  readonly onLeave: () => void
  /** Further sections on how the user signs in. */
  readonly further: ComponentChildren
}

type Part = 'overview' | 'email' | 'enrolment' | 'switching-off'

export function Account({ session, onSession, onLeave, further }: Props) {
  const { facts, go } = useContext(Surroundings)
  const [part, setPart] = useState<Part>('overview')
  const back = (): void => setPart('overview')
  if (part === 'email') return <ChangeEmail session={session} onBack={back} />
  if (part === 'enrolment')
    return (
      <Enrolment
        session={session}
        onOn={() => onSession({ ...session, hasSecondStep: true })}
        onBack={back}
      />
    )
  if (part === 'switching-off')
    return (
      <SwitchOff
        session={session}
        onOff={() => {
          onSession({ ...session, hasSecondStep: false })
          back()
        }}
        onBack={back}
      />
    )
  return (
    <Page
      key="overview"
      title={t('account.title')}
      lead={rich('account.lead', { username: <strong>{session.username}</strong> })}
    >
      <div class="actions start">
        <a class="button primary" href={new URL('app/', root).href}>
          {t('account.data')}
        </a>
      </div>
      <EmailAddress session={session} onChange={() => setPart('email')} />
      {facts.hasPasswords && <PasswordSection session={session} onChange={() => go('change-password')} />}
      {facts.providers.length > 0 && <Linked session={session} />}
      <section>
        <h2>{t('account.secondStep')}</h2>
        <p>{t(session.hasSecondStep ? 'account.secondStepOn' : 'account.secondStepOff')}</p>
        <div class="actions start">
          <button
            type="button"
            class="button"
            onClick={() => setPart(session.hasSecondStep ? 'switching-off' : 'enrolment')}
          >
            {t(session.hasSecondStep ? 'account.switchOff' : 'account.switchOn')}
          </button>
        </div>
      </section>
      {further}
      <Allowed session={session} />
      <Sessions session={session} />
      <div class="actions last">
        <button type="button" class="button" onClick={onLeave}>
          {t('account.signOut')}
        </button>
      </div>
    </Page>
  )
}

interface SwitchOffProps {
  readonly session: Session
  readonly onOff: () => void
  readonly onBack: () => void
}

/** Asks before it switches the second factor off. */
export function SwitchOff({ session, onOff, onBack }: SwitchOffProps) {
  const { facts } = useContext(Surroundings)
  const switchOff = async ({ password }: Values): Promise<void> => {
    await callAs(session, 'POST', 'mfa/deactivate', password ? { password } : {})
    onOff()
  }
  return (
    <Page key="switching-off" title={t('switchOff.title')} lead={t('switchOff.lead')}>
      <Form
        action={t('account.switchOff')}
        onSubmit={switchOff}
        others={
          <button type="button" class="button" onClick={onBack}>
            {t('form.back')}
          </button>
        }
      >
        {facts.hasPasswords && (
          <Password name="password" label={t('field.password')} hint={t('field.passwordProof')} isOptional />
        )}
      </Form>
    </Page>
  )
}
