/** Shows that a page cannot be loaded or that the service is unreachable, and waits for the service. */
import { useEffect, useState } from 'preact/hooks'
import { readPageSettings } from '../../api.js'
import { t } from '../../language.js'
import type { Message } from '../../explain-error.js'

/**
 * Shows that a page cannot be loaded or that the service is unreachable, and reloads the page when the
 * service is back.
 */
export function Unreachable({ message }: { readonly message: Message }) {
  const isOffline = useIsOffline()
  return (
    <main class="empty">
      <h1>{t(isOffline ? 'shell.offline' : 'shell.unreachable')}</h1>
      <p role="status">{isOffline ? t('shell.offlineText') : message}</p>
      <button type="button" class="button primary" onClick={() => location.reload()}>
        {t('shell.again')}
      </button>
    </main>
  )
}

/** Minimum and maximum delay between attempts to reach the service, in milliseconds. */
const minDelayMs = 1000
const maxDelayMs = 30_000

/** Returns whether the service is unreachable. Reloads the page when it is reachable again. */
function useIsOffline(): boolean {
  const [isOffline, setOffline] = useState(!navigator.onLine)
  useEffect(() => {
    let delayMs = minDelayMs
    let wasOffline = false
    let isGone = false
    let timer: number | undefined
    const check = async (): Promise<void> => {
      clearTimeout(timer)
      const isReachable = await readPageSettings().then(
        () => true,
        () => false
      )
      if (isGone) return
      // Only after an outage: a page that fails for other reasons would reload forever.
      if (isReachable && wasOffline) return location.reload()
      wasOffline ||= !isReachable
      setOffline(!isReachable)
      if (isReachable) return
      clearTimeout(timer)
      timer = window.setTimeout(() => void check(), delayMs)
      delayMs = Math.min(delayMs * 1.5, maxDelayMs)
    }
    const checkNow = (): void => void check()
    checkNow()
    addEventListener('online', checkNow)
    return () => {
      isGone = true
      clearTimeout(timer)
      removeEventListener('online', checkNow)
    }
  }, [])
  return isOffline
}
