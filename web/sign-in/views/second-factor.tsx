/** Asks for the second factor when signing in, or for a recovery code. */
import { useEffect, useState } from 'preact/hooks'
import { callRoute, Refusal, pickSession, type Session } from '../../api.js'
import { t } from '../../language.js'
import { Field } from '../../parts/field.js'
import { Alert, Form, type Values } from '../../parts/form.js'
import { Page } from '../../parts/page.js'
import { explainError, type Message } from '../../explain-error.js'

/** A sign-in that still needs the second factor. */
export interface PendingSignIn {
  readonly mfaToken: string
  /** The sign-in so far; without a password if an identity provider has verified the user. */
  readonly login: { readonly username: string; readonly password?: string; readonly appId: string }
}

interface Props {
  readonly pending: PendingSignIn
  readonly onSignedIn: (session: Session) => void
  /** Returns to name and password, optionally with a message. */
  readonly onBack: (why?: string) => void
}

/** Shows the step that asks for a code, or for a recovery code, which turns the second factor off. */
export function SecondFactor({ pending, onSignedIn, onBack }: Props) {
  const { mfaToken, login } = pending
  const [isRecovering, setRecovering] = useState(false)
  const [problem, setProblem] = useState<Message>()
  const path = `${login.username}/mfa`

  // If codes are sent as messages, this sends one; authenticator apps need nothing.
  useEffect(() => {
    callRoute('POST', `${path}/challenge`, { token: mfaToken, body: {} }).catch((error: unknown) =>
      setProblem(explainError(error).message)
    )
  }, [path, mfaToken])

  const verify = async (values: Values): Promise<void> => {
    const code = values['code']!.replaceAll(/\s/g, '')
    try {
      const answer = await callRoute<{ token?: string }>('POST', `${path}/verify`, {
        token: mfaToken,
        body: { code }
      })
      onSignedIn({ username: login.username, ...pickSession(answer) })
    } catch (error) {
      if (!(error instanceof Refusal) || error.id !== 'forbidden') throw error
      onBack(t('challenge.over'))
    }
  }
  const recover = async (values: Values): Promise<void> => {
    await callRoute('POST', `${path}/recover`, {
      ...(login.password === undefined ? { token: mfaToken } : {}),
      body: { ...login, recoveryCode: values['recoveryCode']!.trim() }
    })
    onBack(t('recover.done'))
  }

  if (isRecovering)
    return (
      <Page key="recover" title={t('recover.title')} lead={t('recover.lead')}>
        <Form
          key="recover"
          action={t('recover.action')}
          onSubmit={recover}
          others={
            <button type="button" class="button" onClick={() => setRecovering(false)}>
              {t('form.back')}
            </button>
          }
        >
          <Field name="recoveryCode" label={t('field.recoveryCode')} input={{ autocomplete: 'off' }} />
        </Form>
      </Page>
    )
  return (
    <Page key="challenge" title={t('challenge.title')} lead={t('challenge.lead')}>
      {problem && <Alert>{problem}</Alert>}
      <Form
        key="verify"
        action={t('challenge.action')}
        onSubmit={verify}
        others={
          <button type="button" class="button" onClick={() => onBack()}>
            {t('form.back')}
          </button>
        }
      >
        <CodeField />
      </Form>
      <ul class="links">
        <li>
          {t('challenge.lost')}{' '}
          <button type="button" class="text" onClick={() => setRecovering(true)}>
            {t('challenge.recover')}
          </button>
        </li>
      </ul>
    </Page>
  )
}

/** A field for the code of a second factor. */
export function CodeField() {
  return (
    <Field
      name="code"
      label={t('field.code')}
      input={{ autocomplete: 'one-time-code', inputMode: 'numeric', maxLength: 12, class: 'code' }}
    />
  )
}
