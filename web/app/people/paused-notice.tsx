/**
 * Says that a restored account sends nothing, and lets the user resume. (docs/spec/consent.md#after-a-restore) Shows nothing
 * for other accounts.
 */
import { useEffect, useState } from 'preact/hooks'
import { t } from '../../language.js'
import { Action } from '../../parts/action.js'
import { useAccount } from '../data/account.js'
import { formatDay } from '../parts/format-time.js'

/** Shows the notice once read. Resuming lets the account send again, and removes the notice. */
export function PausedNotice() {
  const { client } = useAccount()
  const [since, setSince] = useState<number>()
  useEffect(() => {
    client
      .call<{ deliveriesPausedSince?: number }>('account.get')
      .then(({ deliveriesPausedSince }) => setSince(deliveriesPausedSince))
      // The page works without this notice.
      .catch(() => {})
  }, [])
  if (since === undefined) return null
  const resume = async (): Promise<void> => {
    await client.call('account.resumeDeliveries')
    setSince(undefined)
  }
  return (
    <div class="notice">
      <p>{t('people.paused', { date: formatDay(since) })}</p>
      <Action class="button" onClick={resume}>
        {t('people.resume')}
      </Action>
    </div>
  )
}
