/** Signs in with a passkey: by a button, or by the browser's suggestion in the username field. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { callRoute, pickSession, type Session } from '../../api.js'
import { t } from '../../language.js'
import { Action } from '../../parts/action.js'
import { Alert } from '../../parts/form.js'
import { explainError, type Message } from '../../explain-error.js'
import { canAutofill, signWithPasskey, type RequestOptions } from './browser.js'
import { toPasskeyError } from './words.js'

export interface PasskeySignInProps {
  /** The app id of the session. */
  readonly appId: string
  readonly onSignedIn: (session: Session) => void
}

/** Milliseconds after which the challenge is renewed, before it expires. */
const renewalMs = 240_000

/** Offers to sign in with a passkey, by a button and in the username field. */
export function PasskeySignIn({ appId, onSignedIn }: PasskeySignInProps) {
  const [problem, setProblem] = useState<Message>()
  /** Number of times passkeys have been offered in the username field. */
  const [attempt, setAttempt] = useState(0)
  const offer = useRef<AbortController>(undefined)

  const signIn = async (more: Parameters<typeof signWithPasskey>[1]): Promise<void> => {
    const { request } = await callRoute<{ request: RequestOptions }>('POST', 'auth/passkey-challenge', {
      body: { appId }
    })
    const credential = await signWithPasskey(request, more)
    const result = await callRoute<{ username: string; token?: string }>('POST', 'auth/passkey-login', {
      body: { appId, credential }
    })
    onSignedIn({ username: result.username, ...pickSession(result) })
  }

  useEffect(() => {
    const { signal } = (offer.current = new AbortController())
    const timer = setTimeout(() => setAttempt(attempt + 1), renewalMs)
    canAutofill()
      .then(can => (can && !signal.aborted ? signIn({ mediation: 'conditional', signal }) : undefined))
      .catch((error: unknown) => {
        if (!signal.aborted) setProblem(explainError(toPasskeyError(error)).message)
      })
    return () => {
      clearTimeout(timer)
      offer.current?.abort()
    }
  }, [attempt])

  const click = async (): Promise<void> => {
    setProblem(undefined)
    // Browsers allow only one request at a time.
    offer.current?.abort()
    try {
      await signIn({})
    } catch (error) {
      setAttempt(attempt + 1)
      throw toPasskeyError(error)
    }
  }
  return (
    <div class="passkey-entry">
      <div class="actions">
        <Action onClick={click}>{t('passkeys.enter')}</Action>
      </div>
      {problem !== undefined && <Alert>{problem}</Alert>}
    </div>
  )
}
