/** The further email addresses of the account: adding, verifying, removing them, and making one the primary address. */
import { useContext, useState } from 'preact/hooks'
import { callAs, Refusal, type Session } from '../../api.js'
import { formatDuration, t } from '../../language.js'
import { Action } from '../../parts/action.js'
import { Field, Password } from '../../parts/field.js'
import { Alert, Form } from '../../parts/form.js'
import { PageContext } from '../../page-context.js'
import { toPlainText } from '../../plain-text.js'
import { BackButton, useRead } from './part.js'

/** An address as the API returns it. */
interface Address {
  readonly value: string
  readonly primary: boolean
  readonly status: 'pending' | 'verified'
}

interface Answer {
  readonly account: { readonly emails: readonly Address[] }
}

type Changes = Partial<Record<'add' | 'remove' | 'resend', readonly string[]>> & {
  readonly setPrimary?: string
}

interface Props {
  readonly session: Session
  /** Called when another address has become the primary one. */
  readonly onPrimary: () => Promise<void>
}

/**
 * Shows the list and the form. Calls `onPrimary` after another address has become the primary one; too many
 * addresses are refused with a message.
 */
export function MoreAddresses({ session, onPrimary }: Props) {
  const { facts } = useContext(PageContext)
  const { problem, read, show } = useRead<Answer>(session, 'account')
  const addresses = read?.account.emails
  const [isAdding, setAdding] = useState(false)
  const [status, setStatus] = useState('')
  const change = async (emails: Changes, proof: object = {}): Promise<void> =>
    await callAs<Answer>(session, 'PUT', 'account', { emails, ...proof }).then(show, (error: unknown) => {
      throw toOwnError(error)
    })
  const sent = t(facts.sendsMail ? 'emails.sent' : 'email.linkNoted')
  const others = addresses?.filter(({ primary }) => !primary) ?? []
  return (
    <>
      {problem !== undefined && <Alert>{problem}</Alert>}
      {others.length > 0 && (
        <ul class="sessions" aria-label={t('emails.title')}>
          {others.map(address => (
            <Row
              key={address.value}
              address={address}
              onResend={async () => {
                await change({ resend: [address.value] })
                setStatus(sent)
              }}
              onRemove={async () => await change({ remove: [address.value] })}
              onPrimary={async proof => {
                await change({ setPrimary: address.value }, proof)
                await onPrimary()
              }}
            />
          ))}
        </ul>
      )}
      <p class="hint" role="status">
        {status}
      </p>
      {addresses && !isAdding && (
        <div class="actions start">
          <button
            type="button"
            class="button"
            onClick={() => {
              setStatus('')
              setAdding(true)
            }}
          >
            {t('emails.add')}
          </button>
        </div>
      )}
      {isAdding && (
        <Form
          isQuiet
          action={t('emails.add')}
          onSubmit={async ({ email = '' }) => {
            await change({ add: [email.trim()] })
            setAdding(false)
            setStatus(sent)
          }}
          others={<BackButton onBack={() => setAdding(false)} />}
        >
          <Field
            name="email"
            label={t('field.email')}
            hint={t('emails.addHint')}
            input={{ type: 'email', autocomplete: 'email', maxLength: 300 }}
          />
        </Form>
      )}
    </>
  )
}

interface RowProps {
  readonly address: Address
  readonly onResend: () => Promise<void>
  readonly onRemove: () => Promise<void>
  readonly onPrimary: (proof: object) => Promise<void>
}

/** One address. To make it the primary one, the user proves who they are. */
function Row({ address: { status, value }, onPrimary, onRemove, onResend }: RowProps) {
  const { facts } = useContext(PageContext)
  const [isChoosing, setChoosing] = useState(false)
  const shown = toPlainText(value)
  const isVerified = status === 'verified'
  if (isChoosing)
    return (
      <li>
        <p>{t('emails.primaryText', { address: shown })}</p>
        <Form
          isQuiet
          action={t('emails.makePrimary')}
          onSubmit={async ({ password }) => await onPrimary(password ? { password } : {})}
          others={<BackButton onBack={() => setChoosing(false)} />}
        >
          {facts.hasPasswords && (
            <Password
              name="password"
              label={t('field.password')}
              hint={t('field.passwordProof')}
              isOptional
            />
          )}
        </Form>
      </li>
    )
  return (
    <li>
      <strong>{shown}</strong>{' '}
      <span class="badge">{t(isVerified ? 'emails.verified' : 'emails.pending')}</span>
      <div class="actions side">
        {isVerified ? (
          <button
            type="button"
            class="button"
            aria-label={t('emails.makePrimaryOf', { address: shown })}
            onClick={() => setChoosing(true)}
          >
            {t('emails.makePrimary')}
          </button>
        ) : (
          <Action label={t('emails.resendTo', { address: shown })} onClick={onResend}>
            {t('emails.resend')}
          </Action>
        )}
        <Action label={t('emails.removeOf', { address: shown })} onClick={onRemove}>
          {t('emails.remove')}
        </Action>
      </div>
    </li>
  )
}

/** Returns an error with a text of this page, where the API's own text is for developers. */
function toOwnError(error: unknown): unknown {
  if (!(error instanceof Refusal) || error.id !== 'invalid-operation') return error
  const { code, email, maxEmails, retryAfterSeconds } = Object(error.data) as Record<string, unknown>
  if (code !== undefined) return error
  if (typeof maxEmails === 'number') return new Refusal('emails', t('emails.tooMany', { count: maxEmails }))
  if (typeof retryAfterSeconds === 'number')
    return new Refusal('emails', t('emails.tooSoon', { duration: formatDuration(retryAfterSeconds) }))
  return typeof email === 'string' ? new Refusal('emails', t('emails.known')) : error
}
