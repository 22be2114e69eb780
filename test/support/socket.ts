/** Real Socket.IO clients, 4.x and 2.x, behind one interface. */
import { createRequire } from 'node:module'
import type { Test } from 'tap'
import { io, type Socket as SocketOf4 } from 'socket.io-client'
import type { Answer, Client } from './coffer.js'

/** The 2.x client has no types; the part used here is the same. */
const io2 = createRequire(import.meta.url)('socket.io-client-2') as typeof io

export const versions = [
  { name: 'a 4.x client', connect: io },
  { name: 'a 2.x client', connect: io2 }
] as const
export type Version = (typeof versions)[number]

export interface SocketOptions {
  readonly version?: Version
  /** Path of the namespace; `/{username}` by default. */
  readonly path?: string
  readonly options?: Record<string, unknown>
}

/** An open socket. */
export class TestSocket {
  /** Names of the messages received so far. */
  readonly heard: string[] = []
  /** Payloads of these messages. */
  readonly payloads: unknown[] = []
  /** Payloads of `accessUpdated`. */
  readonly updates: unknown[] = []

  constructor(readonly raw: SocketOf4) {
    for (const name of ['eventsChanged', 'streamsChanged', 'accessesChanged', 'notificationsChanged'])
      raw.on(name, (payload?: unknown) => {
        this.heard.push(name)
        this.payloads.push(payload)
      })
    raw.on('accessUpdated', (payload: unknown) => this.updates.push(payload))
  }

  /** Calls a method; returns `{error, meta}` or the result. */
  call(method: string, params: unknown = {}): Promise<Answer> {
    return new Promise(resolve =>
      this.raw.emit(method, params, (error: unknown, result: unknown) => resolve(error ?? result))
    )
  }

  /** Returns the messages since the last call; a round trip ensures that pending ones have arrived. */
  async news(): Promise<string[]> {
    await this.call('no-such-method')
    return this.heard.splice(0).toSorted()
  }

  /** Resolves when the server has closed the socket. */
  async closed(): Promise<void> {
    if (this.raw.connected) await new Promise(resolve => this.raw.on('disconnect', resolve))
  }
}

/** Connects with a token; rejects with the message of a refusal. */
export async function connect(
  t: Test,
  url: string,
  username: string,
  token: string | undefined,
  { version = versions[0], path = `/${username}`, options = {} }: SocketOptions = {}
): Promise<TestSocket> {
  const query = token === undefined ? '' : `?auth=${encodeURIComponent(token)}`
  const raw = version.connect(`${url}${path}${query}`, {
    transports: ['websocket'],
    forceNew: true,
    reconnection: false,
    ...options
  })
  t.teardown(() => raw.close())
  const socket = new TestSocket(raw)
  const refused = new Promise<never>((_, reject) => {
    const refuse = (reason: unknown): void =>
      reject(reason instanceof Error ? reason : new Error(messageOf(reason)))
    raw.on('connect_error', refuse)
    // 2.x reports a refused namespace this way.
    raw.on('error' as 'connect_error', refuse)
    // A connection that closes before joining the namespace emits no error; after a refusal it closes first.
    raw.io.on('close', reason => void setImmediate(refuse, new Error(`closed: ${reason}`)))
  })
  refused.catch(() => {})
  await Promise.race([new Promise(resolve => raw.on('connect', () => resolve(undefined))), refused])
  return socket
}

/** Returns the message of a refusal: plain text for clients of 2.x, an object for errors of the protocol. */
function messageOf(reason: unknown): string {
  return typeof reason === 'object' && reason !== null && 'message' in reason
    ? String(reason.message)
    : String(reason)
}

/** Connects with the token of a client. */
export function socketOf(t: Test, client: Client, options: SocketOptions = {}): Promise<TestSocket> {
  return connect(t, client.service.server.url, client.username, client.token, options)
}

/**
 * Waits until a condition is true, checking less and less often: in the end 50 times a second, or ten times if the condition makes
 * calls, which never take more than a third of the time.
 */
export async function until(holds: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const end = Date.now() + 60_000
  for (let pauseMs = 2; ; pauseMs *= 1.3) {
    const began = performance.now()
    const found = holds()
    if (await found) return
    if (Date.now() > end) throw new Error(`waited in vain: ${what}`)
    pauseMs =
      found instanceof Promise
        ? Math.max(Math.min(100, pauseMs), Math.min(1000, 2 * (performance.now() - began)))
        : Math.min(20, pauseMs)
    await new Promise(resolve => setTimeout(resolve, pauseMs))
  }
}
