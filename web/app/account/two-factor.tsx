/** Two-factor authentication: its state, and the views that turn it on and off. */
import { useContext } from 'preact/hooks'
import { callAs, type Session } from '../../api.js'
import { t } from '../../language.js'
import { Password } from '../../parts/field.js'
import { Alert, Form, type Values } from '../../parts/form.js'
import { Page } from '../../parts/page.js'
import type { Message } from '../../explain-error.js'
import { PageContext } from '../../page-context.js'
import { AppLink } from '../parts/app-link.js'
import { EnableTwoFactor } from './enable-two-factor.js'
import { BackButton, useRead, type PartProps } from './part.js'

interface State {
  readonly isOn: boolean | undefined
  readonly problem: Message | undefined
}

/** The section on the account page, which tells whether it is on and leads to the view that changes it. */
export function TwoFactorSection({ session }: { readonly session: Session }) {
  const { isOn, problem } = useTwoFactor(session)
  return (
    <section>
      <h2>{t('account.twoFactor')}</h2>
      {problem !== undefined && <Alert>{problem}</Alert>}
      {isOn !== undefined && (
        <>
          <p>{t(isOn ? 'account.twoFactorOn' : 'account.twoFactorOff')}</p>
          <div class="actions start">
            <AppLink to={{ page: 'account', id: 'two-factor' }} class="button">
              {t(isOn ? 'account.switchOff' : 'account.switchOn')}
            </AppLink>
          </div>
        </>
      )}
    </section>
  )
}

/** Shows whichever view applies: the one that turns two-factor authentication on, or the one that turns it off. */
export function TwoFactor(props: PartProps) {
  const { isOn, problem } = useTwoFactor(props.session)
  if (problem !== undefined) return <Alert>{problem}</Alert>
  if (isOn === undefined) return null
  return isOn ? <DisableTwoFactor {...props} /> : <EnableTwoFactor {...props} />
}

/** Reads whether signing in requires a second factor. */
function useTwoFactor(session: Session): State {
  const { problem, read } = useRead<{ hasSecondFactor: boolean }>(session, 'sessions')
  return { isOn: read?.hasSecondFactor, problem }
}

/** Turns two-factor authentication off after confirmation. */
function DisableTwoFactor({ session, onBack }: PartProps) {
  const { facts } = useContext(PageContext)
  const disable = async ({ password }: Values): Promise<void> => {
    await callAs(session, 'POST', 'mfa/deactivate', password ? { password } : {})
    onBack()
  }
  return (
    <Page key="switching-off" title={t('switchOff.title')} lead={t('switchOff.lead')}>
      <Form action={t('account.switchOff')} onSubmit={disable} others={<BackButton onBack={onBack} />}>
        {facts.hasPasswords && (
          <Password name="password" label={t('field.password')} hint={t('field.passwordProof')} isOptional />
        )}
      </Form>
    </Page>
  )
}
