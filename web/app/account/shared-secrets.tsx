/**
 * Secrets that the user hands over once: a form that makes one, and a list of those made by the user and by apps. Shows nothing
 * if the service has no shared secrets.
 */
import { useContext, useState } from 'preact/hooks'
import { root, type Session } from '../../api.js'
import { t } from '../../language.js'
import { Action } from '../../parts/action.js'
import { CopyButton } from '../../parts/copy-button.js'
import { Field } from '../../parts/field.js'
import { Form, type Values } from '../../parts/form.js'
import { SelectField } from '../../parts/select-field.js'
import { PageContext } from '../../page-context.js'
import { toPlainText } from '../../plain-text.js'
import { useAccount } from '../data/account.js'
import { useReading } from '../data/reading.js'
import { useStore } from '../data/store.js'
import { getAccessName } from '../parts/access-name.js'
import { formatDateTime } from '../parts/format-time.js'
import { ReadProblem } from '../parts/read-problem.js'
import { BackButton } from './part.js'

/** A secret as the event that the API returns. */
interface SharedSecret {
  readonly id: string
  readonly createdBy: string
  readonly content: {
    readonly title: string
    readonly status: 'pending' | 'consumed' | 'discarded'
    readonly statusHistory: readonly { readonly time: number; readonly info?: string }[]
    readonly expires: number
    readonly expired?: true
  }
}

const day = 86_400

/** Lists up to 50 secrets, and the form. The key of a new one is shown once. */
export function SharedSecrets({ session }: { readonly session: Session }) {
  const account = useAccount()
  const { info } = useContext(PageContext)
  const accesses = useStore(account.accesses)
  const { problem, read, reread } = useReading(() =>
    account.client.call<{ events: readonly SharedSecret[] }>('events.get', {
      streams: [':_shared-secrets:'],
      limit: 50
    })
  )
  const secrets = read?.events
  const [mode, setMode] = useState<'shown' | 'adding' | { readonly key: string }>('shown')
  const create = async ({ secret = '', secretTitle = '', secretTtl = '' }: Values): Promise<void> => {
    const { sharedSecret } = await account.client.call<{ sharedSecret: { key: string } }>(
      'sharedSecrets.create',
      {
        title: secretTitle.trim(),
        secret,
        ttl: Number(secretTtl),
        onConsumed: { message: t('secrets.gone') }
      }
    )
    setMode({ key: sharedSecret.key })
    await reread()
  }
  if (info.features?.sharedSecrets === false) return null
  return (
    <section>
      <h2>{t('secrets.title')}</h2>
      <p class="hint">{t('secrets.lead')}</p>
      {problem !== undefined && <ReadProblem message={problem} />}
      {typeof mode === 'object' && <NewKey username={session.username} keyOfSecret={mode.key} />}
      {secrets && secrets.length > 0 && (
        <ul class="sessions">
          {secrets.map(({ content, createdBy, id }) => (
            <li key={id}>
              <strong>{toPlainText(content.title)}</strong>
              <p class="hint num">
                {t('secrets.by', { who: getAccessName(createdBy, accesses, account.info.id) })},{' '}
                {describeStatus(content)}
              </p>
              <div class="actions side">
                <Action
                  label={t(content.status === 'pending' ? 'secrets.withdrawOf' : 'secrets.deleteOf', {
                    title: toPlainText(content.title)
                  })}
                  onClick={async () => {
                    await account.client.call('events.delete', { id })
                    await reread()
                  }}
                >
                  {t(content.status === 'pending' ? 'secrets.withdraw' : 'secrets.delete')}
                </Action>
              </div>
            </li>
          ))}
        </ul>
      )}
      {mode === 'adding' ? (
        <Form
          isQuiet
          action={t('secrets.create')}
          onSubmit={create}
          others={<BackButton onBack={() => setMode('shown')} />}
        >
          <Field
            name="secretTitle"
            label={t('secrets.name')}
            hint={t('secrets.nameHint')}
            input={{ autocomplete: 'off', maxLength: 500 }}
          />
          <Field name="secret" label={t('secrets.secret')} input={{ autocomplete: 'off', maxLength: 1000 }} />
          <SelectField
            name="secretTtl"
            label={t('secrets.ttl')}
            value={String(day)}
            isDisabled={false}
            options={[
              ['3600', t('secrets.hour')],
              [String(day), t('secrets.day')],
              [String(7 * day), t('secrets.week')],
              [String(30 * day), t('secrets.month')]
            ]}
          />
        </Form>
      ) : (
        <div class="actions start">
          <button type="button" class="button" onClick={() => setMode('adding')}>
            {t('secrets.add')}
          </button>
        </div>
      )}
    </section>
  )
}

/** The key of a new secret, which is shown only now, and the command that retrieves the secret. */
function NewKey({ username, keyOfSecret }: { readonly username: string; readonly keyOfSecret: string }) {
  const url = new URL(`${username}/shared-secrets/retrieve`, root).href
  const command = `curl ${url} -H 'Content-Type: application/json' -d '{"key":"${keyOfSecret}"}'`
  return (
    <div class="notice" role="status">
      <p>{t('secrets.made')}</p>
      <p class="key">
        <code>{keyOfSecret}</code>
      </p>
      <CopyButton text={keyOfSecret} />
      <p>{t('secrets.command')}</p>
      <p class="key">
        <code>{command}</code>
      </p>
      <CopyButton text={command} />
    </div>
  )
}

function describeStatus({ expired, expires, status, statusHistory }: SharedSecret['content']): string {
  const { info, time } = statusHistory.at(-1)!
  const date = formatDateTime(time)
  if (status === 'pending') return t('secrets.pending', { date: formatDateTime(expires) })
  if (status === 'consumed') return t('secrets.consumed', { date })
  if (expired) return t('secrets.expired', { date })
  return t(info === 'deleted' ? 'secrets.withdrawn' : 'secrets.mismatch', { date })
}
