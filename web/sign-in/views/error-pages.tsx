/** Error pages: requests that are decided, unknown or belong to another service, and a service that is unreachable. */
import { t, type Key } from '../../language.js'
import { Page } from '../../parts/page.js'
import type { Message } from '../../explain-error.js'
import type { NoRequest as Reason } from '../auth-request.js'

const texts: Readonly<Record<Reason, readonly [title: Key, lead: Key]>> = {
  expired: ['expired.title', 'expired.lead'],
  decided: ['decided.title', 'finished.close'],
  foreign: ['foreign.title', 'foreign.lead']
}

export function RequestUnavailable({ reason }: { readonly reason: Reason }) {
  const [title, lead] = texts[reason]
  return <Page title={t(title)} seal="over" lead={t(lead)} />
}

interface BrokenProps {
  readonly message: Message
  readonly onRetry?: () => void
}

/** An error page with a retry button. */
export function ErrorPage({ message, onRetry = () => location.reload() }: BrokenProps) {
  return (
    <Page title={t('broken.title')} lead={message}>
      <div class="actions">
        <button type="button" class="button primary" onClick={onRetry}>
          {t('broken.action')}
        </button>
      </div>
    </Page>
  )
}
