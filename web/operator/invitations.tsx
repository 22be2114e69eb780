/** Invitations: lists open ones, and creates new ones with a link and a QR code. */
import { useContext, useState } from 'preact/hooks'
import { root } from '../api.js'
import { QrCode } from '../app/parts/qr-code.js'
import { formatDay } from '../app/parts/format-time.js'
import { t } from '../language.js'
import { CopyButton } from '../parts/copy-button.js'
import { Field } from '../parts/field.js'
import { Alert, Form } from '../parts/form.js'
import { PageContext } from '../page-context.js'
import { useOperatorClient, useResource } from './operator-client.js'
import { ColumnHeaders } from './column-headers.js'
import type { Invitation, Overview } from './model.js'

/** Maximum invitations listed. */
const maxListed = 100

/** Shows open invitations, and creates others unless registration is closed. */
export function Invitations({ overview }: { readonly overview: Overview }) {
  const client = useOperatorClient()
  const { info } = useContext(PageContext)
  const { reload, problem, value } = useResource<{ invitations: readonly Invitation[] }>('invitations')
  const [createdId, setCreatedId] = useState<string>()
  const open = value?.invitations.filter(({ consumedAt }) => consumedAt === undefined) ?? []
  return (
    <section aria-labelledby="invitations">
      <h2 id="invitations">{t('operator.invitations')}</h2>
      <p>{t(`operator.registration.${overview.registration}`, { service: info.name })}</p>
      {overview.registration !== 'closed' && (
        <Form
          action={t('operator.invite')}
          isQuiet
          onSubmit={async ({ message = '' }) => {
            const body = message.trim() === '' ? {} : { message: message.trim() }
            const { data } = await client.call<{ data: readonly Invitation[] }>('POST', 'invitations', body)
            setCreatedId(data[0]?.id)
            reload()
          }}
        >
          <Field
            name="message"
            label={t('operator.inviteNote')}
            hint={t('operator.inviteHint')}
            input={{ required: false, maxLength: 1000, autocomplete: 'off' }}
          />
        </Form>
      )}
      {createdId !== undefined && (
        <div class="notice" role="status">
          <p>{t('operator.invited')}</p>
          <p>
            <a class="address" href={buildLink(createdId)}>
              {buildLink(createdId)}
            </a>
          </p>
          <CopyButton text={buildLink(createdId)} />
          <QrCode text={buildLink(createdId)} label={t('operator.inviteCode')} />
        </div>
      )}
      {problem !== undefined && <Alert>{problem}</Alert>}
      <h3>{t('operator.openInvitations')}</h3>
      {open.length === 0 && <p>{t('operator.noInvitations')}</p>}
      {open.length > 0 && (
        <ColumnHeaders of={[t('operator.invitation'), t('operator.note'), t('operator.created')]} />
      )}
      <ul class="rows">
        {open.slice(0, maxListed).map(({ createdAt, description, id }) => (
          <li key={id}>
            <span>
              <a href={buildLink(id)}>{id}</a>
              <CopyButton text={buildLink(id)} />
            </span>
            <span>{description}</span>
            <span class="num soft">{formatDay(createdAt / 1000)}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}

/** Returns the link of an invitation. The token is in the fragment, so it appears in no log. */
function buildLink(token: string): string {
  return `${new URL('app/?register', root).href}#invitation=${token}`
}
