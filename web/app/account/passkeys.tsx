/**
 * The user's passkeys, on the account page: a list, and a form that adds one. Shows nothing if there are none and none can be
 * added.
 */
import { useContext, useRef, useState } from 'preact/hooks'
import { callAs, type Session } from '../../api.js'
import { formatDate, t } from '../../language.js'
import { Action } from '../../parts/action.js'
import { Field } from '../../parts/field.js'
import { Alert, Form } from '../../parts/form.js'
import { toPlainText } from '../../plain-text.js'
import { supportsPasskeys } from '../../sign-in/passkeys/later.js'
import { addPasskeyTexts } from '../../sign-in/passkeys/texts.js'
import { toPasskeyError } from '../../sign-in/passkeys/words.js'
import { PageContext } from '../../page-context.js'
import { useReading } from '../data/reading.js'
import { AddPasskey } from './add-passkey.js'
import { BackButton } from './part.js'

/** A passkey as the API returns it. */
interface Passkey {
  readonly id: string
  readonly name: string
  readonly created: number
  readonly lastUsed?: number
  readonly isSynced: boolean
}

interface PasskeyList {
  readonly passkeys: readonly Passkey[]
  readonly hasPassword: boolean
}

/**
 * Lists the passkeys, which can be renamed and removed, and opens the form that adds one; says so if this
 * origin is not the one for passkeys.
 */
export function Passkeys({ session }: { readonly session: Session }) {
  const { facts } = useContext(PageContext)
  const {
    problem,
    read: list,
    reread
  } = useReading(async () => {
    // Error texts must be loaded before anything can fail.
    await addPasskeyTexts()
    return await callAs<PasskeyList>(session, 'GET', 'passkeys')
  }, [session.username])
  const [isAdding, setAdding] = useState(false)
  const [status, setStatus] = useState('')
  const heading = useRef<HTMLHeadingElement>(null)
  const onChanged = async (message = ''): Promise<void> => {
    await reread()
    setAdding(false)
    setStatus(message)
    heading.current?.focus()
  }
  // Hidden if there are none and none can be added.
  if (facts.passkeyOrigin === null && list?.passkeys.length === 0) return null
  return (
    <section>
      <h2 ref={heading} tabIndex={-1}>
        {t('passkeys.title')}
      </h2>
      {problem !== undefined && <Alert>{problem}</Alert>}
      <p>{t('passkeys.lead')}</p>
      <p class="hint" role="status">
        {status}
      </p>
      {list && list.passkeys.length > 0 && (
        <ul class="sessions">
          {list.passkeys.map(passkey => (
            <Row key={passkey.id} passkey={passkey} session={session} onChange={onChanged} />
          ))}
        </ul>
      )}
      {list && isAdding && (
        <AddPasskey
          session={session}
          hasPassword={list.hasPassword}
          hasPasskeys={list.passkeys.length > 0}
          onAdded={async name => await onChanged(t('passkeys.done', { name: toPlainText(name) }))}
          onBack={() => setAdding(false)}
        />
      )}
      {list && !isAdding && supportsPasskeys(facts.passkeyOrigin) && (
        <div class="actions start">
          <button
            type="button"
            class="button"
            onClick={() => {
              setStatus('')
              setAdding(true)
            }}
          >
            {t('passkeys.add')}
          </button>
        </div>
      )}
      {facts.passkeyOrigin !== null && facts.passkeyOrigin !== location.origin && (
        <p class="hint">{t('passkeys.elsewhere', { place: facts.passkeyOrigin })}</p>
      )}
    </section>
  )
}

interface RowProps {
  readonly passkey: Passkey
  readonly session: Session
  readonly onChange: () => Promise<void>
}

/** One passkey, which can be renamed and, after confirmation, removed. */
function Row({ onChange, passkey, session }: RowProps) {
  const [mode, setMode] = useState<'shown' | 'renaming' | 'ending'>('shown')
  const name = toPlainText(passkey.name)
  const path = `passkeys/${passkey.id}`
  const close = (): void => setMode('shown')
  if (mode === 'renaming')
    return (
      <li>
        <Form
          isQuiet
          action={t('shell.save')}
          onSubmit={async ({ [`name-${passkey.id}`]: given = '' }) => {
            await callAs(session, 'PUT', path, { name: given.trim() })
            close()
            await onChange()
          }}
          others={<BackButton onBack={close} />}
        >
          <Field
            name={`name-${passkey.id}`}
            label={t('passkeys.name')}
            input={{ autocomplete: 'off', maxLength: 80, defaultValue: passkey.name }}
          />
        </Form>
      </li>
    )
  if (mode === 'ending')
    return (
      <li>
        <p>{t('passkeys.removeText', { name })}</p>
        <div class="actions start">
          <Action
            onClick={async () => {
              try {
                await callAs(session, 'DELETE', path)
              } catch (error) {
                throw toPasskeyError(error)
              }
              await onChange()
            }}
          >
            {t('passkeys.remove')}
          </Action>
          <button type="button" class="button" onClick={close}>
            {t('shell.cancel')}
          </button>
        </div>
      </li>
    )
  return (
    <li class="row">
      <div>
        <strong>{name}</strong> {passkey.isSynced && <span class="badge">{t('passkeys.synced')}</span>}
        <p class="hint">{t('passkeys.added', { date: formatDate(passkey.created) })}</p>
        {passkey.lastUsed !== undefined && (
          <p class="hint">{t('account.lastUsed', { date: formatDate(passkey.lastUsed) })}</p>
        )}
      </div>
      <div class="row-actions">
        <button
          type="button"
          class="text"
          aria-label={t('passkeys.renameOf', { name })}
          onClick={() => setMode('renaming')}
        >
          {t('shell.rename')}
        </button>
        <button
          type="button"
          class="text"
          aria-label={t('passkeys.removeOf', { name })}
          onClick={() => setMode('ending')}
        >
          {t('passkeys.remove')}
        </button>
      </div>
    </li>
  )
}
