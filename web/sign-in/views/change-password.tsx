/** Changes the password of the signed-in user, or sets the first one. */
import { useState } from 'preact/hooks'
import { callAs, type Session } from '../../api.js'
import { t } from '../../language.js'
import { HiddenUsername, NewPassword, Password } from '../../parts/field.js'
import { Form, type Values } from '../../parts/form.js'
import { Page } from '../../parts/page.js'
import { Back } from './back.js'
import { useHasPassword } from './password-section.js'

export function ChangePassword({ session }: { readonly session: Session }) {
  const [isDone, setDone] = useState(false)
  const hasOne = useHasPassword(session)
  const change = async ({ oldPassword, newPassword }: Values): Promise<void> => {
    const old = hasOne ? { oldPassword } : {}
    await callAs(session, 'POST', 'account/change-password', { ...old, newPassword })
    setDone(true)
  }
  const back = <Back text="account.back" />
  if (isDone)
    return (
      <Page key="done" seal="done" title={t('newPassword.done')} lead={t('change.doneLead')}>
        {back}
      </Page>
    )
  return (
    <Page
      key="change"
      title={t(hasOne ? 'change.title' : 'change.first')}
      lead={t(hasOne ? 'change.lead' : 'change.firstLead')}
    >
      <Form action={t('newPassword.action')} onSubmit={change}>
        <HiddenUsername username={session.username} />
        {hasOne && <Password name="oldPassword" label={t('field.oldPassword')} />}
        <NewPassword name="newPassword" />
      </Form>
      {back}
    </Page>
  )
}
