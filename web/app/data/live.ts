/** Changes as they happen, told by a socket. (docs/api/sockets.md) */
import { Socket } from '../../../client/src/socket.js'
import type { Client } from './client.js'
import { storeOf, type Store } from './store.js'

const kinds = ['events', 'streams', 'accesses'] as const
export type Kind = (typeof kinds)[number]

export interface Live {
  /** Whether changes are told at this moment. */
  readonly isOn: Store<boolean>
  /** Calls `listener` after changes, at most once in `spacing` milliseconds; the result ends that. */
  follow(kind: Kind, listener: () => void, spacing?: number): () => void
  /** Calls `listener` whenever the socket is cut or refused: the session, or the access, may have ended. */
  onDoubt(listener: () => void): void
  close(): void
}

/**
 * Opens the socket of an account. That of a link only polls: a websocket would send the cookie of whoever has signed in here.
 */
export function goLive({ coffer }: Client): Live {
  const isOn = storeOf(false)
  const target = new EventTarget()
  const socket = new Socket(coffer, coffer.endpoint.token === undefined ? {} : { WebSocket: false })
  socket.on('open', () => {
    isOn.set(true)
    // Something may have been missed meanwhile.
    for (const kind of kinds) target.dispatchEvent(new Event(kind))
  })
  socket.on('cut', () => {
    isOn.set(false)
    target.dispatchEvent(new Event('doubt'))
  })
  for (const kind of kinds) socket.on(`${kind}Changed`, () => target.dispatchEvent(new Event(kind)))
  return {
    isOn,
    follow: (kind, listener, spacing = 0) => {
      const paced = pacedBy(listener, spacing)
      target.addEventListener(kind, paced.call)
      return () => {
        paced.end()
        target.removeEventListener(kind, paced.call)
      }
    },
    onDoubt: listener => target.addEventListener('doubt', listener),
    close: () => socket.close()
  }
}

/** Calls at once, then after `spacing` milliseconds once for all calls in between. */
function pacedBy(
  listener: () => void,
  spacing: number
): { readonly call: () => void; readonly end: () => void } {
  let timer: number | undefined
  let isDue = false
  const rest = (): void => {
    timer = undefined
    if (isDue) call()
  }
  const call = (): void => {
    isDue = timer !== undefined
    if (isDue) return
    timer = window.setTimeout(rest, spacing)
    listener()
  }
  return { call, end: () => clearTimeout(timer) }
}
