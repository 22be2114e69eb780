/** Adds a passkey: verifies the user by the password or another passkey, then lets the browser create one. */
import { useState } from 'preact/hooks'
import { callAs, type Session } from '../../api.js'
import { t } from '../../language.js'
import { Field, HiddenUsername, Password } from '../../parts/field.js'
import { Form, type Values } from '../../parts/form.js'
import {
  createPasskey,
  signWithPasskey,
  type CreationOptions,
  type RequestOptions
} from '../../sign-in/passkeys/browser.js'
import { toPasskeyError } from '../../sign-in/passkeys/words.js'
import { parseUserAgent } from '../../user-agent.js'
import { BackButton } from './part.js'

interface Props {
  readonly session: Session
  readonly hasPassword: boolean
  readonly hasPasskeys: boolean
  readonly onAdded: (name: string) => Promise<void>
  readonly onBack: () => void
}

/**
 * Shows one form: the name, and the password if that is the proof of identity. Calls `onAdded` once the passkey
 * is stored; errors are shown in the form.
 */
export function AddPasskey({ session, hasPassword, hasPasskeys, onAdded, onBack }: Props) {
  const [isByPasskey, setByPasskey] = useState(!hasPassword && hasPasskeys)
  /** Options for the browser, available once the user is verified. Kept for another attempt. */
  const [creation, setCreation] = useState<CreationOptions>()
  const needsPassword = hasPassword && !isByPasskey && !creation

  const challenge = async <T,>(params: object): Promise<T> =>
    await callAs<T>(session, 'POST', 'passkeys/challenge', params)
  const start = async (password: string | undefined): Promise<CreationOptions> => {
    let proof: object = password === undefined ? {} : { password }
    if (isByPasskey) {
      const { request } = await challenge<{ request: RequestOptions }>({ purpose: 'prove' })
      proof = { credential: await signWithPasskey(request) }
    }
    const response = await challenge<{ creation: CreationOptions }>({ purpose: 'add', ...proof })
    setCreation(response.creation)
    return response.creation
  }
  const add = async ({ password, passkeyName = '' }: Values): Promise<void> => {
    const name = passkeyName.trim()
    try {
      const credential = await createPasskey(creation ?? (await start(password)))
      await callAs(session, 'POST', 'passkeys', { name, credential })
    } catch (error) {
      const explained = toPasskeyError(error)
      // A challenge expires after some minutes, so the next attempt starts again, unless only the browser's dialog was cancelled.
      if (!(explained instanceof Error && 'id' in explained && explained.id === 'passkey-cancelled'))
        setCreation(undefined)
      throw explained
    }
    await onAdded(name)
  }

  return (
    <Form
      isQuiet
      action={t('passkeys.add')}
      onSubmit={add}
      others={
        <>
          {hasPassword && hasPasskeys && !isByPasskey && (
            <button type="button" class="button" onClick={() => setByPasskey(true)}>
              {t('passkeys.proof')}
            </button>
          )}
          <BackButton onBack={onBack} />
        </>
      }
    >
      {isByPasskey && !creation && <p class="hint">{t('passkeys.proofFirst')}</p>}
      <Field
        name="passkeyName"
        label={t('passkeys.name')}
        hint={t('passkeys.nameHint')}
        input={{ autocomplete: 'off', maxLength: 80, defaultValue: describeBrowser() }}
      />
      {needsPassword && (
        <>
          <HiddenUsername username={session.username} />
          <Password name="password" label={t('field.oldPassword')} />
        </>
      )}
    </Form>
  )
}

/** Returns a default name: this browser and system. */
function describeBrowser(): string {
  const { browser, system } = parseUserAgent(navigator.userAgent)
  if (browser === undefined) return t('passkeys.title')
  return system === undefined ? browser : t('sessions.with', { browser, system })
}
