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
  /** Calls `listener` after changes, at most once in `spacing` milliseconds. Returns a function that stops it. */
  follow(kind: ChangeKind, listener: () => void, spacing?: number): () => void
  /** Calls `listener` whenever the socket is disconnected or refused: the session or access may have ended. */
  onDoubt(listener: () => void): void
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
    follow: (kind, listener, spacing = 0) => {
      const throttled = throttle(listener, spacing)
      target.addEventListener(kind, throttled.call)
      return () => {
        throttled.end()
        target.removeEventListener(kind, throttled.call)
      }
    },
    onDoubt: listener => target.addEventListener('doubt', listener),
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

/**
 * Throttles a listener: calls it immediately, then at most once in `spacing` milliseconds, the last time
 * after the last call. `end` drops a call that is still to come.
 */
function throttle(
  listener: () => void,
  spacing: number
): { readonly call: () => void; readonly end: () => void } {
  let timer: number | undefined
  let isDue = false
  const onTimer = (): void => {
    timer = undefined
    if (isDue) call()
  }
  const call = (): void => {
    isDue = timer !== undefined
    if (isDue) return
    timer = window.setTimeout(onTimer, spacing)
    listener()
  }
  return { call, end: () => clearTimeout(timer) }
}
