/** The user's e-mail address: shows it and whether it is confirmed, and changes it. */
import { useContext, useEffect, useState } from 'preact/hooks'
import { callAs, type Session } from '../../api.js'
import { readEmail, type Email } from '../email.js'
import { rich, t } from '../../language.js'
import { Action } from '../../parts/action.js'
import { Field, Password } from '../../parts/field.js'
import { Alert, Form, type Values } from '../../parts/form.js'
import { Page } from '../../parts/page.js'
import { plain } from '../../plain.js'
import { explain, type Message } from '../../problem.js'
import { Surroundings } from '../../surroundings.js'

interface Props {
  readonly session: Session
  readonly onChange: () => void
}

/** The section on the account page. */
export function EmailAddress({ session, onChange }: Props) {
  const { facts } = useContext(Surroundings)
  const [email, setEmail] = useState<Email>()
  const [problem, setProblem] = useState<Message>()
  const [isAsked, setAsked] = useState(false)
  useEffect(() => {
    readEmail(session)
      .then(setEmail)
      .catch((error: unknown) => setProblem(explain(error).message))
  }, [session])
  const ask = async (): Promise<void> => {
    await callAs(session, 'POST', 'account/request-email-confirmation', {})
    setAsked(true)
  }
  const isWaiting = email?.address !== null && email?.isConfirmed === false
  return (
    <section>
      <h2>{t('field.email')}</h2>
      {problem !== undefined && <Alert>{problem}</Alert>}
      {email && (
        <>
          <p class="row">
            <span>{email.address === null ? t('email.none') : <strong>{plain(email.address)}</strong>}</span>
            <button type="button" class="text" onClick={onChange} aria-label={t('email.changeIt')}>
              {t('account.change')}
            </button>
          </p>
          {isWaiting && (
            <div class="notice">
              <p>
                {email.confirmedAddress === null
                  ? t('email.waiting')
                  : rich('email.waitingFor', { address: <strong>{plain(email.confirmedAddress)}</strong> })}
              </p>
              {facts.passwordReset !== 'none' && !isAsked && (
                <div class="actions start">
                  <Action onClick={ask}>{t('email.ask')}</Action>
                </div>
              )}
            </div>
          )}
          <p class="hint" role="status">
            {isAsked && t(facts.passwordReset === 'mail' ? 'email.asked' : 'email.askedOperator')}
          </p>
        </>
      )}
    </section>
  )
}

/** The form that changes the address. */
export function ChangeEmail({ session, onBack }: { readonly session: Session; readonly onBack: () => void }) {
  const { facts } = useContext(Surroundings)
  const change = async ({ email, password }: Values): Promise<void> => {
    await callAs(session, 'PUT', 'account', { email: email!.trim(), ...(password && { password }) })
    onBack()
  }
  return (
    <Page key="email" title={t('email.changeIt')} lead={t('email.changeLead')}>
      <Form
        action={t('email.save')}
        onSubmit={change}
        others={
          <button type="button" class="button" onClick={onBack}>
            {t('form.back')}
          </button>
        }
      >
        <Field
          name="email"
          label={t('field.email')}
          input={{ type: 'email', autocomplete: 'email', maxLength: 300 }}
        />
        {facts.hasPasswords && (
          <Password name="password" label={t('field.password')} hint={t('field.passwordProof')} isOptional />
        )}
      </Form>
    </Page>
  )
}
