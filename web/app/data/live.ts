/** Live changes, received over a socket. (docs/api/sockets.md) */
import { Socket } from '../../../client/src/socket.js'
import type { NewsAccount } from './news.js'
import type { Client } from './client.js'
import { createStore, type Store } from './store.js'

const changeKinds = ['events', 'streams', 'accesses'] as const
type ChangeKind = (typeof changeKinds)[number]

export interface Live {
  /** Whether changes are currently received. */
  readonly isOn: Store<boolean>
  /**
   * Calls `listener` after changes, at most once in `spacing` milliseconds. Returns a function that stops it. With `doubt`, calls it
   * whenever the socket is disconnected or refused: the session or access may have ended.
   */
  follow(kind: ChangeKind | 'doubt', listener: () => void, spacing?: number): () => void
  /** How much other people have written since the user last looked. */
  readonly news: Store<number>
  /** Counts what is new in an account once it has people. */
  watch(account: NewsAccount): void
  /** Closes the socket. Listeners are not called any more. */
  close(): void
}

/**
 * Opens the socket of an account. The socket of a shared link only polls: a WebSocket would send the cookie
 * of a user who is signed in with this browser. It begins to connect at once.
 */
export function openLive({ coffer }: Client): Live {
  const isOn = createStore(false)
  const target = new EventTarget()
  const socket = new Socket(coffer, coffer.endpoint.token === undefined ? {} : { WebSocket: false })
  socket.on('open', () => {
    isOn.set(true)
    // Changes may have been missed before.
    for (const kind of changeKinds) target.dispatchEvent(new Event(kind))
  })
  socket.on('cut', () => {
    isOn.set(false)
    target.dispatchEvent(new Event('doubt'))
  })
  for (const kind of changeKinds) socket.on(`${kind}Changed`, () => target.dispatchEvent(new Event(kind)))
  return {
    isOn,
    // The listener is called immediately, then at most once in `spacing` milliseconds, the last time after the last change.
    follow: (kind, listener, spacing = 0) => {
      let timer: number | undefined
      let isDue = false
      const call = (): void => {
        isDue = timer !== undefined
        if (isDue) return
        timer = window.setTimeout(() => {
          timer = undefined
          if (isDue) call()
        }, spacing)
        listener()
      }
      target.addEventListener(kind, call)
      return () => {
        clearTimeout(timer)
        target.removeEventListener(kind, call)
      }
    },
    news: createStore(0),
    watch: account => {
      const end = account.accesses.follow(check)
      function check(): void {
        if (!account.accesses.value.some(({ clientData }) => clientData?.['cmc'])) return
        end()
        // Without it, there is no number.
        import('./news.js').then(({ followNews }) => followNews(account)).catch(() => undefined)
      }
      check()
    },
    close: () => socket.close()
  }
}
