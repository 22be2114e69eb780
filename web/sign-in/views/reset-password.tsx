/** Resets a forgotten password: requests an email, or sets a new password with the link from it. */
import { useContext, useState } from 'preact/hooks'
import { callRoute, findUsername, Refusal } from '../../api.js'
import { t, type Key } from '../../language.js'
import { Field, NewPassword } from '../../parts/field.js'
import { Form, type Values } from '../../parts/form.js'
import { Link } from '../../parts/link.js'
import { Page } from '../../parts/page.js'
import { PageContext } from '../../page-context.js'
import { BackLink } from './back-link.js'

const appId = 'coffer-account'

export function ResetPassword({ resetToken }: { readonly resetToken: string | undefined }) {
  return resetToken === undefined ? <RequestReset /> : <NewPasswordForm resetToken={resetToken} />
}

/** Messages after a request. They are the same whether or not the account exists. */
const sentTexts: Readonly<Record<'mail' | 'operator', readonly [title: Key, lead: Key]>> = {
  mail: ['reset.sent', 'reset.sentLead'],
  operator: ['reset.noted', 'reset.notedLead']
}

/** Asks for the username, and requests a reset. Says the same whether or not there is such an account. */
function RequestReset() {
  const { facts } = useContext(PageContext)
  const [isSent, setSent] = useState(false)
  const request = async (values: Values): Promise<void> => {
    // Does not reveal whether the account exists: the message is always the same.
    const username = await findUsername(values['username']!).catch((error: unknown) => {
      if (error instanceof Refusal && error.id === 'invalid-credentials') return undefined
      throw error
    })
    if (username !== undefined)
      await callRoute('POST', `${username}/account/request-password-reset`, {
        body: { appId }
      })
    setSent(true)
  }
  const { passwordReset } = facts
  if (passwordReset === 'none')
    return (
      <Page key="none" title={t('reset.title')} lead={t('reset.none')}>
        <BackLink to="access" />
      </Page>
    )
  if (isSent) {
    const [title, lead] = sentTexts[passwordReset]
    return (
      <Page key="sent" seal="mail" title={t(title)} lead={t(lead)}>
        <BackLink to="access" />
      </Page>
    )
  }
  const isMailed = passwordReset === 'mail'
  return (
    <Page key="request" title={t('reset.title')} lead={t(isMailed ? 'reset.lead' : 'reset.leadOperator')}>
      <Form action={t(isMailed ? 'reset.action' : 'reset.actionOperator')} onSubmit={request}>
        <UsernameField />
      </Form>
      <BackLink to="access" />
    </Page>
  )
}

/** Sets the new password with the link from the mail. */
function NewPasswordForm({ resetToken }: { readonly resetToken: string }) {
  const [isDone, setDone] = useState(false)
  const reset = async (values: Values): Promise<void> => {
    const body = { resetToken, newPassword: values['newPassword']!, appId }
    try {
      const username = await findUsername(values['username']!)
      await callRoute('POST', `${username}/account/reset-password`, { body })
    } catch (error) {
      if (error instanceof Refusal && /^invalid-(?:access-token|credentials)$/.test(error.id))
        throw new Refusal('reset-link', error.message)
      throw error
    }
    setDone(true)
  }
  if (isDone)
    return (
      <Page key="done" seal="done" title={t('newPassword.done')} lead={t('newPassword.doneLead')}>
        <div class="actions">
          <Link to="access" isPrimary>
            {t('newPassword.signIn')}
          </Link>
        </div>
      </Page>
    )
  return (
    <Page key="choose" title={t('newPassword.title')} lead={t('newPassword.lead')}>
      <Form action={t('newPassword.action')} onSubmit={reset}>
        <UsernameField />
        <NewPassword name="newPassword" />
      </Form>
      <ul class="links">
        <li>
          <Link to="reset-password">{t('newPassword.again')}</Link>
        </li>
      </ul>
    </Page>
  )
}

function UsernameField() {
  const username = new URLSearchParams(location.search).get('username') ?? ''
  return (
    <Field
      name="username"
      label={t('field.usernameOrEmail')}
      input={{ autocomplete: 'username', maxLength: 300, defaultValue: username }}
    />
  )
}
