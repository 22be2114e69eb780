/** Changes the password of the signed-in user, or sets the first one. */
import { useContext, useEffect, useState } from 'preact/hooks'
import { callAs, type Session } from '../../api.js'
import { t } from '../../language.js'
import { HiddenUsername, NewPassword, Password } from '../../parts/field.js'
import { Form, type Values } from '../../parts/form.js'
import { Page } from '../../parts/page.js'
import { Surroundings } from '../../surroundings.js'
import { Back } from './back.js'

export function ChangePassword({ session }: { readonly session: Session }) {
  const { facts } = useContext(Surroundings)
  const [isDone, setDone] = useState(false)
  const [hasOne, setHasOne] = useState(true)
  useEffect(() => {
    // Only who signs in by a provider may have none.
    if (facts.providers.length === 0) return
    callAs<{ hasPassword: boolean }>(session, 'GET', 'identities').then(
      ({ hasPassword }) => setHasOne(hasPassword),
      () => undefined
    )
  }, [])
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
      <Form action={t('change.action')} onSubmit={change}>
        <HiddenUsername username={session.username} />
        {hasOne && <Password name="oldPassword" label={t('field.oldPassword')} />}
        <NewPassword name="newPassword" />
      </Form>
      {back}
    </Page>
  )
}
