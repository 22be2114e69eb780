/** Events that have not ended: since when, and a button that ends them. Shows nothing if all have ended. */
import { useEffect, useState } from 'preact/hooks'
import { t } from '../../language.js'
import { toPlainText } from '../../plain-text.js'
import { useAccount } from '../data/account.js'
import type { Event } from '../data/model.js'
import { useStore } from '../data/store.js'
import { AppLink } from '../parts/app-link.js'
import { formatDuration } from '../parts/format-duration.js'
import { Icon } from '../parts/icon.js'
import { showFailure, showToast } from '../parts/toast.js'

interface Props {
  readonly events: readonly Event[]
  readonly onChanged: () => void
}

/** Lists the events, with a clock that ticks. Stopping sets the duration and shows a toast that can undo it. */
export function Running({ events, onChanged }: Props) {
  const account = useAccount()
  const tree = useStore(account.tree)
  const now = useSeconds(events.length > 0)
  if (events.length === 0) return null
  const getName = ({ description, streamIds }: Event): string =>
    toPlainText(description ?? '') || toPlainText(tree?.find(streamIds[0]!)?.name ?? t('today.running'))
  const setDuration = async (event: Event, duration: number | null): Promise<void> => {
    await account.client.call('events.update', { id: event.id, update: { duration } })
    onChanged()
  }
  const stop = async (event: Event): Promise<void> => {
    try {
      await setDuration(event, Math.max(1, Math.round(Date.now() / 1000 - event.time)))
      showToast(t('today.stopped', { name: getName(event) }), async () => await setDuration(event, null))
    } catch (error) {
      showFailure(error)
    }
  }
  return (
    <section class="running" aria-label={t('today.running')}>
      {events.map(event => (
        <div key={event.id} class="card">
          <Icon name="clock" />
          <p>
            <AppLink to={{ page: 'events', id: event.id }}>{getName(event)}</AppLink>
            <span class="num">{formatDuration(Math.max(0, now - event.time))}</span>
          </p>
          <button
            type="button"
            class="button"
            aria-label={t('today.stopNamed', { name: getName(event) })}
            onClick={() => void stop(event)}
          >
            {t('today.stop')}
          </button>
        </div>
      ))}
    </section>
  )
}

/** Returns the current time in seconds, every second while something runs. */
function useSeconds(isRunning: boolean): number {
  const [now, setNow] = useState(Date.now() / 1000)
  useEffect(() => {
    if (!isRunning) return undefined
    setNow(Date.now() / 1000)
    const timer = setInterval(() => setNow(Date.now() / 1000), 1000)
    return () => clearInterval(timer)
  }, [isRunning])
  return now
}
