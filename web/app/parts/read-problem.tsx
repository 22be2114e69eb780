/** Why something could not be read. While the server is unreachable, the page says so once, and not each of its parts; when it is back, the page is read again. */
import { useEffect } from 'preact/hooks'
import { t } from '../../language.js'
import { Alert } from '../../parts/form.js'
import type { Message } from '../../explain-error.js'
import { isReachable, rereadCount } from '../data/reachable.js'
import { useStore } from '../data/store.js'

/** Shows the message; nothing while the server is unreachable. When it is back, makes the page read again. */
export function ReadProblem({ message }: { readonly message: Message }) {
  const isOnline = useStore(isReachable)
  const isOffline = message === t('error.offline')
  useEffect(() => {
    if (!isOffline || isReachable.value) return undefined
    return isReachable.follow(isBack => {
      if (isBack) rereadCount.set(rereadCount.value + 1)
    })
  }, [isOffline])
  return isOffline && !isOnline ? null : <Alert>{message}</Alert>
}
