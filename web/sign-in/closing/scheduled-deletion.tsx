/** Offers a user who has signed in to cancel the scheduled deletion of the account. */
import { callAs, signOut, type Session } from '../../api.js'
import { formatDate, rich, t } from '../../language.js'
import { Action } from '../../parts/action.js'
import { Page } from '../../parts/page.js'

export interface ScheduledDeletionProps {
  readonly session: Session
  /** Time of the scheduled deletion, in seconds. */
  readonly deletion: number
  /** Called when the deletion has been cancelled. */
  readonly onKept: () => void
  readonly onLeave: () => void
}

/** Shows when the account will be deleted, and lets its owner keep it. */
export function ScheduledDeletion({ deletion, onKept, onLeave, session }: ScheduledDeletionProps) {
  const keep = async (): Promise<void> => {
    await callAs(session, 'DELETE', 'account/deletion')
    onKept()
  }
  const leave = (): void => {
    signOut(session)
    onLeave()
  }
  return (
    <Page
      title={t('closing.title', { date: formatDate(deletion) })}
      lead={rich('closing.lead', { username: <strong>{session.username}</strong> })}
    >
      <div class="actions">
        <Action class="button primary" onClick={keep}>
          {t('closing.keep')}
        </Action>
        <button type="button" class="button" onClick={leave}>
          {t('closing.leave')}
        </button>
      </div>
    </Page>
  )
}
