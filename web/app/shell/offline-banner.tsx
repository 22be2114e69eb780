/** Says that the server is unreachable, once for the whole page, and waits for it. */
import { useEffect } from 'preact/hooks'
import { readPageSettings } from '../../api.js'
import { t } from '../../language.js'
import { isReachable } from '../data/reachable.js'
import { useStore } from '../data/store.js'
import { Icon } from '../parts/icon.js'

/** Minimum and maximum delay between attempts to reach the service, in milliseconds. */
const minDelayMs = 1000
const maxDelayMs = 30_000

/**
 * Shows the text only while unreachable. Meanwhile asks the server at growing intervals, at most 30 seconds.
 */
export function OfflineBanner() {
  const isOnline = useStore(isReachable)
  useEffect(() => {
    const onOffline = (): void => isReachable.set(false)
    addEventListener('offline', onOffline)
    return () => removeEventListener('offline', onOffline)
  }, [])
  useEffect(() => (isOnline ? undefined : waitForService()), [isOnline])
  // Rendered empty, so that screen readers announce the text when it appears.
  return (
    <div class="offline-banner" role="status">
      {!isOnline && (
        <p>
          <Icon name="globe" />
          {t('shell.offlineBanner')}
        </p>
      )}
    </div>
  )
}

/**
 * Calls the service repeatedly, ever more rarely, until it responds, and notes that in {@link isReachable}.
 * Returns a function that stops it.
 */
function waitForService(): () => void {
  let delayMs = minDelayMs
  let timer: number | undefined
  const check = (): void => {
    clearTimeout(timer)
    readPageSettings().then(
      () => isReachable.set(true),
      () => {
        timer = window.setTimeout(check, delayMs)
        delayMs = Math.min(delayMs * 1.5, maxDelayMs)
      }
    )
  }
  timer = window.setTimeout(check, delayMs)
  addEventListener('online', check)
  return () => {
    clearTimeout(timer)
    removeEventListener('online', check)
  }
}
