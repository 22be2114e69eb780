/** Shows that a page cannot be loaded or that the service is unreachable, and waits for the service. */
import { useEffect, useState } from 'preact/hooks'
import { readPageFacts } from '../../api.js'
import { t } from '../../language.js'
import type { Message } from '../../problem.js'

export function Unreachable({ message }: { readonly message: Message }) {
  const isAway = useAway()
  return (
    <main class="empty">
      <h1>{t(isAway ? 'shell.offline' : 'shell.unreachable')}</h1>
      <p role="status">{isAway ? t('shell.offlineText') : message}</p>
      <button type="button" class="button primary" onClick={() => location.reload()}>
        {t('shell.again')}
      </button>
    </main>
  )
}

/** Minimum and maximum delay between attempts to reach the service, in milliseconds. */
const firstPause = 1000
const longestPause = 30_000

/** Returns whether the service is unreachable. Reloads the page when it is reachable again. */
function useAway(): boolean {
  const [isAway, setAway] = useState(!navigator.onLine)
  useEffect(() => {
    let pause = firstPause
    let wasAway = false
    let isGone = false
    let timer: number | undefined
    const look = async (): Promise<void> => {
      clearTimeout(timer)
      const isThere = await readPageFacts().then(
        () => true,
        () => false
      )
      if (isGone) return
      // Only after an outage: a page that fails for other reasons would reload forever.
      if (isThere && wasAway) return location.reload()
      wasAway ||= !isThere
      setAway(!isThere)
      if (isThere) return
      clearTimeout(timer)
      timer = window.setTimeout(() => void look(), pause)
      pause = Math.min(pause * 1.5, longestPause)
    }
    const lookNow = (): void => void look()
    lookNow()
    addEventListener('online', lookNow)
    return () => {
      isGone = true
      clearTimeout(timer)
      removeEventListener('online', lookNow)
    }
  }, [])
  return isAway
}
