/** An account over Socket.IO: change notifications and calls. (docs/api/sockets.md) */
import {
  findCreated,
  isRepeatable,
  type UntypedCall,
  type Arguments,
  type MethodId,
  type Result
} from './calls.js'
import type { Coffer } from './coffer.js'
import { CofferError, findError, toCofferError, type ErrorBody } from './errors.js'
import { Http, createOfflineError } from './http.js'
import { EngineConnection, type EngineOptions } from './engine-connection.js'
import type { Scopes } from './methods/nouns.js'
import { getBackoff } from './retries.js'

/** Events of a socket: changes, named as by the service, and the state of the connection. */
export interface SocketEvents {
  eventsChanged: undefined
  streamsChanged: undefined
  accessesChanged: undefined
  /** The access, or one that it created, has a new version: `accessId` is its new id. */
  accessUpdated: { readonly type: 'access-updated'; readonly accessId: string; readonly serial: number }
  /** Keys of the scopes that contain the change. */
  notificationsChanged: { readonly keys: readonly string[] }
  /** The socket is connected or reconnected. After a reconnection, changes may have been missed. */
  open: undefined
  /** The connection failed or was lost, or the account refused it, with the error. The socket reconnects automatically. */
  cut: CofferError | undefined
}

export interface SocketOptions {
  /**
   * `WebSocket` class, such as the one of the package `ws` for Node versions without a `WebSocket`; `false`: long
   * polling only. Default: the platform's class, if it has one.
   */
  readonly WebSocket?: EngineOptions['WebSocket'] | false
}

export interface SocketCallOptions {
  /** Stops waiting. The call may still be executed. */
  readonly signal?: AbortSignal | undefined
}

/** Seconds until the next attempt: the first, the maximum, and after a refusal. */
const minDelay = 1
const maxDelay = 5
const refusedDelay = 30

/** Socket.IO packet types, the first characters of packets. */
const packetTypes = { connect: '0', disconnect: '1', event: '2', ack: '3', refusal: '4' } as const

interface PendingCall {
  readonly call: UntypedCall
  readonly resolve: (result: object) => void
  readonly reject: (error: unknown) => void
  /** How often it was sent: again after a connection was lost. */
  sends: number
}

export class Socket {
  readonly #http: Http
  readonly #listeners = new Map<string, Set<(value: never) => void>>()
  readonly #calls = new Map<number, PendingCall>()
  readonly #webSocket: EngineOptions['WebSocket']
  #scopes: Scopes = {}
  #connection: EngineConnection | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  #attempts = 0
  #lastId = 0
  #isOpen = false
  #isClosed = false

  /** Connects to the account, with its token or the session of the page. */
  constructor(
    private readonly coffer: Coffer,
    { WebSocket }: SocketOptions = {}
  ) {
    // The connection has its own timeout and retries. The token is sent in the namespace's handshake.
    this.#http = new Http(coffer.endpoint.serviceRoot, {
      ...coffer.options,
      token: undefined,
      timeout: 0,
      retries: 0
    })
    const platformClass = (globalThis as { WebSocket?: NonNullable<EngineOptions['WebSocket']> }).WebSocket
    this.#webSocket = WebSocket === false ? undefined : (WebSocket ?? platformClass)
    this.#connect()
  }

  /** Whether changes are currently received. */
  get isOpen(): boolean {
    return this.#isOpen
  }

  /** Adds a listener. Returns a function that removes it. */
  on<N extends keyof SocketEvents>(name: N, listener: (value: SocketEvents[N]) => void): () => void {
    const listeners = this.#listeners.get(name) ?? new Set()
    this.#listeners.set(name, listeners.add(listener))
    return () => void listeners.delete(listener)
  }

  /**
   * Calls a method. Calls of one socket run in order. Waits for the connection without limit. If the connection is lost
   * before the response, idempotent calls are repeated, and other calls reject with a {@link CofferError} with the id
   * `offline`: they may have been executed.
   */
  async call<M extends MethodId>(
    method: M,
    ...[params, options]: Arguments<M, SocketCallOptions>
  ): Promise<Result<M>> {
    return await this.#call({ method, params }, options)
  }

  /**
   * Limits notifications to these scopes, reported as `notificationsChanged`. Repeated calls add scopes. They survive
   * reconnections, except those that are refused by then, such as one of a deleted stream.
   */
  async subscribe(scopes: Scopes): Promise<void> {
    await this.#call({ method: 'subscribe', params: { scopes } })
    this.#scopes = { ...this.#scopes, ...scopes }
  }

  /** Removes scopes by key. If no scope is left, all changes are reported again. */
  async unsubscribe(...keys: readonly string[]): Promise<void> {
    this.#scopes = Object.fromEntries(Object.entries(this.#scopes).filter(([key]) => !keys.includes(key)))
    await this.#call({ method: 'unsubscribe', params: { keys } })
  }

  /**
   * Closes the socket permanently. Pending calls reject with the id `offline`, even if they have been executed.
   */
  close(): void {
    this.#isClosed = true
    clearTimeout(this.#timer)
    this.#connection?.close()
    this.#isOpen = false
    for (const { reject } of this.#calls.values()) reject(createOfflineError())
    this.#calls.clear()
  }

  /** Makes a call once the socket is open. Rejects if it is closed, or the call is aborted. */
  async #call(call: UntypedCall, { signal }: SocketCallOptions = {}): Promise<object> {
    signal?.throwIfAborted()
    if (this.#isClosed) throw createOfflineError()
    const id = (this.#lastId += 1)
    const abort = (): void => {
      this.#calls.get(id)?.reject(signal!.reason as Error)
      this.#calls.delete(id)
    }
    signal?.addEventListener('abort', abort)
    const pending = { call, sends: 0 }
    try {
      return await new Promise<object>((resolve, reject) => {
        const waiting: PendingCall = Object.assign(pending, { resolve, reject })
        this.#calls.set(id, waiting)
        if (this.#isOpen) this.#emit(id, waiting)
      })
    } catch (error) {
      const created = pending.sends > 1 && (await findCreated(this, call, error, signal))
      if (created) return created
      throw error
    } finally {
      signal?.removeEventListener('abort', abort)
    }
  }

  #emit(id: number, pending: PendingCall): void {
    pending.sends += 1
    const { method, params = {} } = pending.call
    this.#connection!.send(`${packetTypes.event}${this.#prefix}${id}${JSON.stringify([method, params])}`)
  }

  /** Opens a connection, and authenticates once it is open. */
  #connect(): void {
    const { endpoint } = this.coffer
    const connection = new EngineConnection(this.#http, {
      WebSocket: this.#webSocket,
      onOpen: () => {
        const own = endpoint.token === undefined ? '' : JSON.stringify({ auth: endpoint.token })
        connection.send(`${packetTypes.connect}${this.#prefix}${own}`)
      },
      onText: text => this.#receive(text),
      onLost: () => this.#onLost()
    })
    this.#connection = connection
  }

  get #prefix(): string {
    return `/${this.coffer.username},`
  }

  #receive(text: string): void {
    // A namespace may omit its comma if nothing follows.
    const rest = text.slice(1)
    if (!`${rest},`.startsWith(this.#prefix)) return
    const own = rest.slice(this.#prefix.length)
    const [kind] = text
    if (kind === packetTypes.connect) this.#onConnected()
    else if (kind === packetTypes.event) this.#notify(...(JSON.parse(own) as [keyof SocketEvents, never]))
    else if (kind === packetTypes.ack) this.#resolve(own)
    else if (kind === packetTypes.disconnect) this.#onLost(createOfflineError())
    else if (kind === packetTypes.refusal) this.#onLost(toRefusal(own))
  }

  #onConnected(): void {
    this.#attempts = 0
    this.#isOpen = true
    const waiting = [...this.#calls]
    // One that is refused, such as a scope of a deleted stream, does not end the others.
    for (const [key, scope] of Object.entries(this.#scopes))
      void this.#call({ method: 'subscribe', params: { scopes: { [key]: scope } } }).catch(() => undefined)
    for (const [id, pending] of waiting) this.#emit(id, pending)
    this.#notify('open')
  }

  #resolve(text: string): void {
    const begin = text.indexOf('[')
    const id = Number(text.slice(0, begin))
    const pending = this.#calls.get(id)
    this.#calls.delete(id)
    const [refusal, result] = JSON.parse(text.slice(begin)) as [object | null, object | undefined]
    if (refusal) pending?.reject(findError(refusal) ?? toCofferError())
    else pending?.resolve(result ?? {})
  }

  /** Schedules a reconnection. Calls that were sent and may not be repeated reject; the others are sent again later. */
  #onLost(refusal?: CofferError): void {
    this.#connection?.close()
    this.#isOpen = false
    for (const [id, pending] of this.#calls) {
      if (pending.sends > 0 && !isRepeatable(pending.call)) {
        this.#calls.delete(id)
        pending.reject(createOfflineError())
      }
    }
    if (this.#isClosed) return
    // Jitter: clients must not reconnect simultaneously after a restart of the service.
    const delay = refusal
      ? refusedDelay * (0.5 + Math.random())
      : getBackoff(this.#attempts++, minDelay, maxDelay)
    this.#timer = setTimeout(() => this.#connect(), delay * 1000)
    this.#notify('cut', refusal)
  }

  #notify(name: keyof SocketEvents, value?: unknown): void {
    for (const listener of this.#listeners.get(name) ?? [])
      try {
        listener(value as never)
      } catch (error) {
        // The platform reports the error; the connection continues.
        queueMicrotask(() => {
          throw error
        })
      }
  }
}

function toRefusal(text: string): CofferError {
  const { data, message } = JSON.parse(text) as {
    readonly data?: { readonly error?: ErrorBody }
    readonly message?: string
  }
  return toCofferError(data?.error ?? { message })
}
