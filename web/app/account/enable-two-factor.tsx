/**
 * Turns on two-factor authentication: the user scans a secret with an authenticator app, enters a code, and receives recovery
 * codes.
 */
import { useContext, useEffect, useState } from 'preact/hooks'
import { callRoute, callAs, Refusal } from '../../api.js'
import { t } from '../../language.js'
import { Password } from '../../parts/field.js'
import { Alert, Form, type Values } from '../../parts/form.js'
import { Page } from '../../parts/page.js'
import { explainError, type Message } from '../../explain-error.js'
import { CodeField } from '../../sign-in/views/second-factor.js'
import { PageContext } from '../../page-context.js'
import { BackButton, type PartProps } from './part.js'
import { RecoveryCodes } from './recovery-codes.js'

interface Activation {
  readonly mfaToken: string
  readonly totp: { readonly secret: string; readonly uri: string; readonly qrCode: string }
}

/**
 * Activates on render, so that the secret is shown at once; asks for the password first if the sign-in is not
 * recent. Ends with the recovery codes.
 */
export function EnableTwoFactor({ session, onBack }: PartProps) {
  const [activation, setActivation] = useState<Activation>()
  const [codes, setCodes] = useState<readonly string[]>()
  const [problem, setProblem] = useState<Message>()
  const { facts } = useContext(PageContext)
  const [needsPassword, setNeedsPassword] = useState(false)
  const activate = async ({ password }: Values): Promise<void> => {
    const body = { method: 'totp', ...(password && { password }) }
    setActivation(await callAs<Activation>(session, 'POST', 'mfa/activate', body))
  }
  useEffect(() => {
    activate({}).catch((error: unknown) => {
      if (facts.hasPasswords && isProofMissing(error)) setNeedsPassword(true)
      else setProblem(explainError(error).message)
    })
  }, [])
  const confirm = async (values: Values): Promise<void> => {
    const { recoveryCodes } = await callRoute<{ recoveryCodes: string[] }>(
      'POST',
      `${session.username}/mfa/confirm`,
      { token: activation!.mfaToken, body: { code: values['code']!.replaceAll(/\s/g, '') } }
    )
    setCodes(recoveryCodes)
  }

  if (codes) return <RecoveryCodes codes={codes} username={session.username} onDone={onBack} />
  const back = <BackButton onBack={onBack} />
  return (
    <Page key="enrolment" title={t('enrol.title')} lead={t('enrol.lead')}>
      {problem !== undefined && (
        <>
          <Alert>{problem}</Alert>
          <div class="actions">{back}</div>
        </>
      )}
      {needsPassword && !activation && (
        <Form action={t('account.switchOn')} onSubmit={activate} others={back}>
          <Password name="password" label={t('field.oldPassword')} />
        </Form>
      )}
      {activation && (
        <>
          <ol class="steps">
            <li>
              <p>{t('enrol.scan')}</p>
              <img class="qr" src={activation.totp.qrCode} alt={t('enrol.qr')} width="200" height="200" />
              <p class="hint">{t('enrol.type')}</p>
              <p class="secret">
                <code>{activation.totp.secret.replaceAll(/(.{4})(?=.)/g, '$1 ')}</code>
              </p>
              <p>
                <a href={activation.totp.uri}>{t('enrol.open')}</a>
              </p>
            </li>
            <li>
              <p>{t('enrol.confirm')}</p>
            </li>
          </ol>
          <Form action={t('account.switchOn')} onSubmit={confirm} others={back}>
            <CodeField />
          </Form>
        </>
      )}
    </Page>
  )
}

/** Returns whether the user must confirm the password because the last sign-in is too long ago. */
function isProofMissing(error: unknown): boolean {
  return error instanceof Refusal && Object(error.data)['code'] === 'proof-missing'
}
