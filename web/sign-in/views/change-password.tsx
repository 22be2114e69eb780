/** Changes the password of the signed-in user. */
import { useState } from 'preact/hooks'
import { callAs, type Session } from '../../api.js'
import { t } from '../../language.js'
import { HiddenUsername, NewPassword, Password } from '../../parts/field.js'
import { Form, type Values } from '../../parts/form.js'
import { Page } from '../../parts/page.js'
import { Back } from './back.js'

export function ChangePassword({ session }: { readonly session: Session }) {
  const [isDone, setDone] = useState(false)
  const change = async ({ oldPassword, newPassword }: Values): Promise<void> => {
    await callAs(session, 'POST', 'account/change-password', { oldPassword, newPassword })
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
    <Page key="change" title={t('change.title')} lead={t('change.lead')}>
      <Form action={t('change.action')} onSubmit={change}>
        <HiddenUsername username={session.username} />
        <Password name="oldPassword" label={t('field.oldPassword')} />
        <NewPassword name="newPassword" />
      </Form>
      {back}
    </Page>
  )
}
