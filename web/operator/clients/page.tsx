/** OAuth clients: their keys, and revoking both. */
import { useState } from 'preact/hooks'
import { Confirm } from '../../app/parts/confirm.js'
import { formatDateTime } from '../../app/parts/format-time.js'
import { t } from '../../language.js'
import { Action } from '../../parts/action.js'
import { Alert } from '../../parts/form.js'
import { ColumnHeaders } from '../column-headers.js'
import type { OAuthClient } from '../model.js'
import { useOperatorClient, useResource } from '../operator-client.js'

/** Shows the OAuth clients and their keys, which can be revoked. */
export function OAuthClients() {
  const client = useOperatorClient()
  const { problem, reload, value } = useResource<{ clients: readonly OAuthClient[] }>('oauth/clients')
  const [revoking, setRevoking] = useState<OAuthClient>()
  const clients = value?.clients ?? []
  const changeKey =
    ({ id }: OAuthClient, kid: string, isRevoked: boolean) =>
    async () => {
      const path = `${getClientPath(id)}/keys/${encodeURIComponent(kid)}/revocation`
      await client.call(isRevoked ? 'DELETE' : 'POST', path)
      reload()
    }
  return (
    <section aria-labelledby="clients">
      <h2 id="clients">{t('operator.clients')}</h2>
      <p class="hint">{t('operator.clientsLead')}</p>
      {problem !== undefined && <Alert>{problem}</Alert>}
      {value && clients.length === 0 && <p>{t('operator.noClients')}</p>}
      {clients.length > 0 && (
        <ColumnHeaders of={[t('operator.client'), t('operator.clientKeys'), t('operator.clientState')]} />
      )}
      <ul class="rows">
        {clients.map(each => (
          <li key={each.id}>
            <span>
              <strong>{each.name ?? each.id}</strong> {each.name !== null && each.id}{' '}
              {each.isSelfRegistered && <span class="badge">{t('operator.selfRegistered')}</span>}
              {each.account !== null && (
                <span class="soft">{t('operator.ofAccount', { account: each.account })}</span>
              )}
            </span>
            <div>
              {each.keys.map(({ isRevoked, kid }) => (
                <div class="client-key" key={kid}>
                  {kid} {isRevoked && <span class="badge bad">{t('operator.keyRevoked')}</span>}
                  <Action onClick={changeKey(each, kid, isRevoked)}>
                    {t(isRevoked ? 'operator.restoreKey' : 'operator.revokeKey', { key: kid })}
                  </Action>
                </div>
              ))}
            </div>
            {each.revoked === null ? (
              <button type="button" class="button" onClick={() => setRevoking(each)}>
                {t('operator.revokeClient')}
              </button>
            ) : (
              <span class="soft">{t('operator.clientRevoked', { time: formatDateTime(each.revoked) })}</span>
            )}
          </li>
        ))}
      </ul>
      {revoking && (
        <Confirm
          title={t('operator.revokeClientTitle', { client: revoking.name ?? revoking.id })}
          action={t('operator.revokeClientNow')}
          onConfirm={async () => {
            await client.call('POST', `${getClientPath(revoking.id)}/revocation`)
            setRevoking(undefined)
            reload()
          }}
          onClose={() => setRevoking(undefined)}
        >
          <p>{t('operator.revokeClientLead')}</p>
        </Confirm>
      )}
    </section>
  )
}

function getClientPath(id: string): string {
  return `oauth/clients/${encodeURIComponent(id)}`
}
