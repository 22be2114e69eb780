/** Changes the password, or sets one for users who have signed in without. */
import { useState } from 'preact/hooks'
import { callAs, type Session } from '../../api.js'
import { t } from '../../language.js'
import { HiddenUsername, NewPassword, Password } from '../../parts/field.js'
import { Form, type Values } from '../../parts/form.js'
import { Page } from '../../parts/page.js'
import { AppLink } from '../parts/app-link.js'
import { BackButton, useRead, type PartProps } from './part.js'

/** The section on the account page. */
export function PasswordSection({ session }: { readonly session: Session }) {
  const hasPassword = useHasPassword(session)
  return (
    <section>
      <h2>{t('field.password')}</h2>
      <p class="row">
        <span>{t(hasPassword ? 'account.passwordLead' : 'change.firstLead')}</span>
        <AppLink
          to={{ page: 'account', id: 'password' }}
          label={t(hasPassword ? 'change.title' : 'change.first')}
        >
          {t(hasPassword ? 'account.change' : 'change.first')}
        </AppLink>
      </p>
    </section>
  )
}

/** The form that changes the password, or sets one for users without. */
export function ChangePassword({ session, onBack }: PartProps) {
  const [isDone, setDone] = useState(false)
  const hasPassword = useHasPassword(session)
  const change = async ({ oldPassword, newPassword }: Values): Promise<void> => {
    const old = hasPassword ? { oldPassword } : {}
    await callAs(session, 'POST', 'account/change-password', { ...old, newPassword })
    setDone(true)
  }
  if (isDone)
    return (
      <Page key="done" seal="done" title={t('newPassword.done')} lead={t('change.doneLead')}>
        <div class="actions">
          <AppLink to={{ page: 'account' }} class="button primary">
            {t('account.back')}
          </AppLink>
        </div>
      </Page>
    )
  return (
    <Page
      key="change"
      title={t(hasPassword ? 'change.title' : 'change.first')}
      lead={t(hasPassword ? 'change.lead' : 'change.firstLead')}
    >
      <Form action={t('newPassword.action')} onSubmit={change} others={<BackButton onBack={onBack} />}>
        <HiddenUsername username={session.username} />
        {hasPassword && <Password name="oldPassword" label={t('field.oldPassword')} />}
        <NewPassword name="newPassword" />
      </Form>
    </Page>
  )
}

/** Returns whether the user has a password; true until that is known. */
function useHasPassword(session: Session): boolean {
  const { read } = useRead<{ hasPassword: boolean }>(session, 'passkeys')
  return read?.hasPassword ?? true
}
