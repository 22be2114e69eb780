/** Shows the user's email address and whether it is confirmed, changes it, and turns security emails on or off. */
import { useContext, useState } from 'preact/hooks'
import { callAs, type Session } from '../../api.js'
import { rich, t } from '../../language.js'
import { Action } from '../../parts/action.js'
import { Field, Password } from '../../parts/field.js'
import { Alert, Form, type Values } from '../../parts/form.js'
import { Page } from '../../parts/page.js'
import { toPlainText } from '../../plain-text.js'
import { readEmail } from '../../sign-in/email.js'
import { PageContext } from '../../page-context.js'
import { useReading } from '../data/reading.js'
import { AppLink } from '../parts/app-link.js'
import { MoreAddresses } from './more-addresses.js'
import { BackButton, useRead, type PartProps } from './part.js'

/** The section on the account page: the address, a link to confirm it, and further addresses. */
export function EmailAddress({ session }: { readonly session: Session }) {
  const { facts } = useContext(PageContext)
  const { problem, read: email, reread } = useReading(() => readEmail(session), [session])
  const [isRequested, setRequested] = useState(false)
  const requestLink = async (): Promise<void> => {
    await callAs(session, 'POST', 'account/request-email-confirmation', {})
    setRequested(true)
  }
  const isUnconfirmed = email?.address !== null && email?.isConfirmed === false
  return (
    <section>
      <h2>{t('field.email')}</h2>
      {problem !== undefined && <Alert>{problem}</Alert>}
      {email && (
        <>
          <p class="row">
            <span>
              {email.address === null ? t('email.none') : <strong>{toPlainText(email.address)}</strong>}
            </span>
            <AppLink to={{ page: 'account', id: 'email' }} label={t('email.changeTitle')}>
              {t('account.change')}
            </AppLink>
          </p>
          {isUnconfirmed && (
            <div class="notice">
              <p>
                {email.confirmedAddress === null
                  ? t('email.unconfirmed')
                  : rich('email.unconfirmedFor', {
                      address: <strong>{toPlainText(email.confirmedAddress)}</strong>
                    })}
              </p>
              {(facts.sendsMail || facts.passwordReset === 'operator') && !isRequested && (
                <div class="actions start">
                  <Action onClick={requestLink}>
                    {t(facts.sendsMail ? 'email.sendLink' : 'email.requestLink')}
                  </Action>
                </div>
              )}
            </div>
          )}
          <p class="hint" role="status">
            {isRequested && t(facts.sendsMail ? 'email.linkSent' : 'email.linkNoted')}
          </p>
          <MoreAddresses session={session} onPrimary={reread} />
        </>
      )}
    </section>
  )
}

/** The form that changes the address, with the password as proof if there is one. */
export function ChangeEmail({ session, onBack }: PartProps) {
  const { facts } = useContext(PageContext)
  const change = async ({ email, password }: Values): Promise<void> => {
    await callAs(session, 'PUT', 'account', { email: email!.trim(), ...(password && { password }) })
    onBack()
  }
  return (
    <Page
      key="email"
      title={t('email.changeTitle')}
      lead={t(facts.sendsMail ? 'email.changeLead' : 'email.changeNow')}
    >
      <Form action={t('email.save')} onSubmit={change} others={<BackButton onBack={onBack} />}>
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

interface State {
  readonly isOn: boolean
  /** Whether the service sends security emails. */
  readonly isAvailable: boolean
}

/** Shows the state with a button that reverses it. Errors of reading are not shown here. */
export function SecurityEmails({ session }: { readonly session: Session }) {
  const { read, show } = useRead<{ notices: State }>(session, 'account/notices')
  if (!read?.notices.isAvailable) return null
  const { isOn } = read.notices
  const change = async (): Promise<void> =>
    show(await callAs<{ notices: State }>(session, 'PUT', 'account/notices', { isOn: !isOn }))
  return (
    <section>
      <h2>{t('notices.title')}</h2>
      <p role="status">{t(isOn ? 'notices.on' : 'notices.off')}</p>
      <div class="actions start">
        <Action onClick={change}>{t(isOn ? 'notices.switchOff' : 'notices.switchOn')}</Action>
      </div>
    </section>
  )
}
