/** One user: usage, and the actions of operators. */
import type { ComponentChildren } from 'preact'
import { useContext, useState } from 'preact/hooks'
import { Refusal } from '../api.js'
import { Confirm } from '../app/parts/confirm.js'
import { Dialog } from '../app/parts/dialog.js'
import { formatSize } from '../app/parts/format-duration.js'
import { QrCode } from '../app/parts/qr-code.js'
import { formatDay, formatDateTime } from '../app/parts/format-time.js'
import { t } from '../language.js'
import { Action } from '../parts/action.js'
import { CopyButton } from '../parts/copy-button.js'
import { Field } from '../parts/field.js'
import { Form } from '../parts/form.js'
import { PageContext } from '../page-context.js'
import { useOperatorClient, getUserPath } from './operator-client.js'
import type { Overview, UserInfo } from './model.js'
import { UserBadges, describeStorage } from './user-badges.js'

interface Props {
  readonly person: UserInfo
  readonly overview: Overview
  /** Called when the user has changed. */
  readonly onChange: () => void
  readonly onClose: () => void
}

/** Shows one user in a dialog, with the actions of operators. */
export function UserDialog({ onChange, onClose, overview, person }: Props) {
  const client = useOperatorClient()
  const { username } = person
  const [status, setStatus] = useState('')
  const [link, setLink] = useState<{ readonly url: string; readonly expires: number }>()
  const [isDeleting, setDeleting] = useState(false)
  const [isSuspending, setSuspending] = useState(false)
  const isSelf = client.username === username
  const isActive = person.state === 'active'
  const change = (verb: string, rest: string, done: string) => async () => {
    await client.call(verb, getUserPath(username, rest), verb === 'POST' ? {} : undefined)
    setStatus(done)
    onChange()
  }
  if (isSuspending)
    return (
      <Confirm
        title={t('operator.suspendTitle', { username })}
        action={t('operator.suspendNow')}
        onConfirm={async () => {
          await change('POST', '/suspension', t('operator.isSuspended'))()
          setSuspending(false)
        }}
        onClose={() => setSuspending(false)}
      >
        <p>{t('operator.suspendLead')}</p>
      </Confirm>
    )
  if (isDeleting)
    return (
      <DeleteDialog
        username={username}
        onClose={() => setDeleting(false)}
        onDone={() => {
          onClose()
          onChange()
        }}
      />
    )
  return (
    <Dialog title={username} onClose={onClose} isWide>
      <p>
        <UserBadges person={person} />
      </p>
      <dl class="facts">
        <Fact name={t('operator.created')}>{formatDay(person.created)}</Fact>
        <Fact name={t('operator.lastUsed')}>
          {person.lastUsed === null ? t('operator.unknown') : formatDateTime(person.lastUsed)}
        </Fact>
        <Fact name={t('operator.stores')}>{describeStorage(person)}</Fact>
        <Fact name={t('operator.secondFactor')}>
          {person.hasSecondFactor === null
            ? t('operator.unknown')
            : t(person.hasSecondFactor ? 'operator.on' : 'operator.off')}
        </Fact>
        <Fact name={t('operator.passkeys')}>
          {person.passkeys === null ? t('operator.unknown') : String(person.passkeys)}
        </Fact>
      </dl>
      <div role="status">{status !== '' && <p class="notice">{status}</p>}</div>
      {link && <ResetLink link={link} />}
      {isActive && (
        <div class="deeds">
          <Action
            onClick={async () => {
              const { resetLink } = await client.call<{ resetLink: { url: string; expires: number } }>(
                'POST',
                getUserPath(username, '/reset-link'),
                {}
              )
              setLink(resetLink)
            }}
          >
            {t('operator.resetLink')}
          </Action>
          <Action onClick={change('DELETE', '/wait', t('operator.waitEnded'))}>
            {t('operator.endWait')}
          </Action>
          {person.hasSecondFactor === true && (
            <Action onClick={change('DELETE', '/mfa', t('operator.factorOff'))}>
              {t('operator.turnFactorOff')}
            </Action>
          )}
          {person.passkeys !== null && person.passkeys > 0 && (
            <Action onClick={change('DELETE', '/passkeys', t('operator.passkeysEnded'))}>
              {t('operator.endPasskeys')}
            </Action>
          )}
        </div>
      )}
      {person.deletion !== null && (
        <div class="notice">
          <p>{t('operator.closingLead', { date: formatDateTime(person.deletion) })}</p>
          <Action onClick={change('DELETE', '/deletion', t('operator.kept'))}>
            {t('operator.keepAccount')}
          </Action>
        </div>
      )}
      <QuotaForm
        // Resets the field to the saved limit.
        key={`${person.hasOwnQuota} ${person.quota}`}
        person={person}
        overview={overview}
        onChange={onChange}
        onTold={setStatus}
      />
      {!isSelf && person.state !== 'moved' && (
        <>
          <h3>{t('operator.access')}</h3>
          <p class="hint">{t('operator.suspendLead')}</p>
          <div class="deeds">
            {person.state === 'suspended' ? (
              <Action onClick={change('DELETE', '/suspension', t('operator.resumed'))}>
                {t('operator.resume')}
              </Action>
            ) : (
              <button type="button" class="button" onClick={() => setSuspending(true)}>
                {t('operator.suspend')}
              </button>
            )}
            {overview.mayDelete && (
              <button type="button" class="button danger" onClick={() => setDeleting(true)}>
                {t('operator.delete')}
              </button>
            )}
          </div>
        </>
      )}
      {isSelf && <p class="hint">{t('operator.self')}</p>}
    </Dialog>
  )
}

function Fact({ children, name }: { readonly name: string; readonly children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd class="num">{children}</dd>
    </div>
  )
}

/** A password reset link to pass on to the user. */
function ResetLink({
  link: { expires, url }
}: {
  readonly link: { readonly url: string; readonly expires: number }
}) {
  return (
    <div class="notice">
      <p>{t('operator.resetLead', { time: formatDateTime(expires) })}</p>
      <p>
        <a class="address" href={url}>
          {url}
        </a>
      </p>
      <CopyButton text={url} />
      <QrCode text={url} label={t('operator.resetLink')} />
    </div>
  )
}

const megabyte = 1_000_000

/** Sets the quota of the user in megabytes, or restores the service's default. */
function QuotaForm({
  onChange,
  onTold,
  overview,
  person: { hasOwnQuota, quota, username }
}: Omit<Props, 'onClose'> & { readonly onTold: (text: string) => void }) {
  const client = useOperatorClient()
  const set = async (bytes: number | null): Promise<void> => {
    await client.call('POST', getUserPath(username, '/quota'), { bytes })
    onTold(t('operator.limited'))
    onChange()
  }
  const defaultLimit = overview.quota === 0 ? t('operator.noLimit') : formatSize(overview.quota)
  return (
    <>
      <h3>{t('operator.limit')}</h3>
      <Form
        action={t('operator.setLimit')}
        isQuiet
        onSubmit={async ({ megabytes = '' }) => {
          const amount = Number(megabytes.trim().replace(',', '.'))
          if (!(amount >= 0 && amount <= 1e9)) throw new Refusal('no-number', t('operator.noNumber'))
          await set(Math.round(amount * megabyte))
        }}
        others={
          hasOwnQuota && (
            <Action onClick={async () => await set(null)}>
              {t('operator.usualLimit', { usual: defaultLimit })}
            </Action>
          )
        }
      >
        <Field
          name="megabytes"
          label={t('operator.megabytes')}
          hint={hasOwnQuota ? t('operator.ownLimit') : t('operator.noOwnLimit', { usual: defaultLimit })}
          input={{
            inputMode: 'numeric',
            defaultValue: hasOwnQuota ? String(quota / megabyte) : '',
            autocomplete: 'off'
          }}
        />
      </Form>
    </>
  )
}

interface DeletionProps {
  readonly username: string
  readonly onClose: () => void
  readonly onDone: () => void
}

/** Deletes an account after its username has been typed. */
function DeleteDialog({ onClose, onDone, username }: DeletionProps) {
  const client = useOperatorClient()
  const { info } = useContext(PageContext)
  return (
    <Dialog title={t('operator.deleteTitle', { username })} onClose={onClose}>
      <p>{t('operator.deleteLead', { service: info.name })}</p>
      <Form
        action={t('operator.deleteNow')}
        isQuiet
        onSubmit={async ({ typed = '' }) => {
          if (typed.trim().toLowerCase() !== username) throw new Refusal('own-name', t('operator.wrongName'))
          await client.call('DELETE', getUserPath(username))
          onDone()
        }}
        others={
          <button type="button" class="button" onClick={onClose}>
            {t('shell.cancel')}
          </button>
        }
      >
        <Field name="typed" label={t('operator.typeName', { username })} input={{ autocomplete: 'off' }} />
      </Form>
    </Dialog>
  )
}
