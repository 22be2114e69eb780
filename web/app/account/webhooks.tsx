/** Webhooks that apps have created: test and delete them. */
import { useState } from 'preact/hooks'
import { Refusal } from '../../api.js'
import { t } from '../../language.js'
import { Action } from '../../parts/action.js'
import { toPlainText } from '../../plain-text.js'
import { useAccount } from '../data/account.js'
import { useReading } from '../data/reading.js'
import { useStore } from '../data/store.js'
import { getAccessName } from '../parts/access-name.js'
import { Confirm } from '../parts/confirm.js'
import { formatDateTime } from '../parts/format-time.js'
import { showToast } from '../parts/toast.js'
import { ReadProblem } from '../parts/read-problem.js'

interface Webhook {
  readonly id: string
  readonly accessId: string
  readonly url: string
  readonly state: 'active' | 'inactive'
  readonly lastRun: { readonly status: number; readonly timestamp: number }
}

/** Lists the webhooks of all apps. A failed test is shown at the button; deleting asks first. */
export function WebhooksSection() {
  const account = useAccount()
  const accesses = useStore(account.accesses)
  const { problem, read, reread } = useReading(() =>
    account.client.call<{ webhooks: readonly Webhook[] }>('webhooks.get')
  )
  const webhooks = read?.webhooks
  const [deleting, setDeleting] = useState<Webhook>()
  return (
    <section>
      <h2>{t('own.webhooks')}</h2>
      <p class="hint">{t(webhooks?.length === 0 ? 'own.noWebhooks' : 'own.webhooksHint')}</p>
      {problem !== undefined && <ReadProblem message={problem} />}
      <ul class="sessions">
        {webhooks?.map(webhook => (
          <li key={webhook.id}>
            <strong>{toPlainText(webhook.url)}</strong>
            <p class="hint num">
              {t('own.webhookBy', { who: getAccessName(webhook.accessId, accesses, account.info.id) })},{' '}
              {describeState(webhook)}
            </p>
            <div class="actions side">
              <Action
                label={t('own.testOf', { url: toPlainText(webhook.url) })}
                onClick={async () => await test(webhook.id)}
              >
                {t('own.test')}
              </Action>
              <button type="button" class="button" onClick={() => setDeleting(webhook)}>
                {t('own.deleteWebhook')}
              </button>
            </div>
          </li>
        ))}
      </ul>
      {deleting && (
        <Confirm
          title={t('own.deleteWebhookTitle')}
          action={t('own.deleteWebhook')}
          onClose={() => setDeleting(undefined)}
          onConfirm={async () => {
            await account.client.call('webhooks.delete', { id: deleting.id })
            setDeleting(undefined)
            await reread()
          }}
        >
          <p>{t('own.deleteWebhookText', { url: toPlainText(deleting.url) })}</p>
        </Confirm>
      )}
    </section>
  )

  async function test(id: string): Promise<void> {
    try {
      await account.client.callAlone('webhooks.test', { id })
    } catch (error) {
      if (error instanceof Refusal && error.id === 'unknown-referenced-resource')
        throw new Refusal('own-webhook', t('own.testFailed'))
      throw error
    }
    showToast(t('own.tested'))
  }
}

function describeState({ state, lastRun }: Webhook): string {
  if (state === 'inactive') return t('own.webhookInactive')
  if (lastRun.timestamp === 0) return t('own.webhookNeverCalled')
  const isGood = lastRun.status >= 200 && lastRun.status < 300
  return t(isGood ? 'own.webhookCalled' : 'own.webhookFailed', { date: formatDateTime(lastRun.timestamp) })
}
