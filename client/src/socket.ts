/** An account over Socket.IO: change notifications and calls. (docs/api/sockets.md) */
import { isRepeatable, type AnyCall, type Arguments, type MethodId, type Result } from './calls.js'
import type { Coffer } from './coffer.js'
import { CofferError, errorIn, errorOf, type ErrorBody } from './errors.js'
import { Http, offline } from './http.js'
import { Line, type LineOptions } from './line.js'
import type { Scopes } from './methods/nouns.js'
import { backOff } from './retries.js'

/** Events of a socket: changes, named as by the service, and the state of the connection. */
export interface SocketEvents {
  eventsChanged: undefined
  streamsChanged: undefined
  accessesChanged: undefined
  /** Keys of the scopes that contain the change. */
  notificationsChanged: { readonly keys: readonly string[] }
  /** The socket is connected or reconnected. After a reconnection, changes may have been missed. */
  open: undefined
  /** The connection failed or was lost, or the account refused it, with the error. The socket reconnects automatically. */
  cut: CofferError | undefined
}

export interface SocketOptions {
  /**
   * `WebSocket` class, such as that of the package `ws` for Node versions without one; `false`: long polling only. Default: that
   * of the platform, if any.
   */
  readonly WebSocket?: LineOptions['WebSocket'] | false
}

export interface SocketCallOptions {
  /** Stops waiting. The call may still be executed. */
  readonly signal?: AbortSignal | undefined
}

/** Seconds until the next attempt: the first, the maximum, and after a refusal. */
const firstWait = 1
const longestWait = 5
const refusedWait = 30

/** Socket.IO packet types, the first characters of packets. */
const packet = { connect: '0', disconnect: '1', event: '2', ack: '3', refusal: '4' } as const

interface Waiting {
  readonly call: AnyCall
  readonly resolve: (result: object) => void
  readonly reject: (error: unknown) => void
  isSent: boolean
}

export class Socket {
  readonly #http: Http
  readonly #listeners = new Map<string, Set<(value: never) => void>>()
  readonly #calls = new Map<number, Waiting>()
  readonly #webSocket: LineOptions['WebSocket']
  #scopes: Scopes = {}
  #line: Line | undefined
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
    const usual = (globalThis as { WebSocket?: NonNullable<LineOptions['WebSocket']> }).WebSocket
    this.#webSocket = WebSocket === false ? undefined : (WebSocket ?? usual)
    this.#begin()
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
   * Calls a method. Calls of one socket run in order. Waits for the connection without limit. If it is lost before the response,
   * idempotent calls are repeated, and others reject with a {@link CofferError} with the id `offline`: they may have been
   * executed.
   */
  async call<M extends MethodId>(
    method: M,
    ...[params, options]: Arguments<M, SocketCallOptions>
  ): Promise<Result<M>> {
    return await this.#call({ method, params }, options)
  }

  /**
   * Limits notifications to these scopes, reported as `notificationsChanged`. Repeated calls add scopes. They survive
   * reconnections.
   */
  async subscribe(scopes: Scopes): Promise<void> {
    await this.#call({ method: 'subscribe', params: { scopes } })
    this.#scopes = { ...this.#scopes, ...scopes }
  }

  /** Removes scopes by key. Without any left, all changes are reported again. */
  async unsubscribe(...keys: readonly string[]): Promise<void> {
    this.#scopes = Object.fromEntries(Object.entries(this.#scopes).filter(([key]) => !keys.includes(key)))
    await this.#call({ method: 'unsubscribe', params: { keys } })
  }

  /** Closes the socket permanently. Pending calls reject. */
  close(): void {
    this.#isClosed = true
    clearTimeout(this.#timer)
    this.#line?.close()
    this.#isOpen = false
    for (const { reject } of this.#calls.values()) reject(offline())
    this.#calls.clear()
  }

  async #call(call: AnyCall, { signal }: SocketCallOptions = {}): Promise<object> {
    signal?.throwIfAborted()
    if (this.#isClosed) throw offline()
    const id = (this.#lastId += 1)
    const giveUp = (): void => {
      this.#calls.get(id)?.reject(signal!.reason as Error)
      this.#calls.delete(id)
    }
    signal?.addEventListener('abort', giveUp)
    try {
      return await new Promise<object>((resolve, reject) => {
        const waiting: Waiting = { call, resolve, reject, isSent: false }
        this.#calls.set(id, waiting)
        if (this.#isOpen) this.#emit(id, waiting)
      })
    } finally {
      signal?.removeEventListener('abort', giveUp)
    }
  }

  #emit(id: number, waiting: Waiting): void {
    waiting.isSent = true
    const { method, params = {} } = waiting.call
    this.#line!.send(`${packet.event}${this.#prefix}${id}${JSON.stringify([method, params])}`)
  }

  #begin(): void {
    const { endpoint } = this.coffer
    const line = new Line(this.#http, {
      WebSocket: this.#webSocket,
      onOpen: () => {
        const own = endpoint.token === undefined ? '' : JSON.stringify({ auth: endpoint.token })
        line.send(`${packet.connect}${this.#prefix}${own}`)
      },
      onText: text => this.#hear(text),
      onCut: () => this.#cut()
    })
    this.#line = line
  }

  get #prefix(): string {
    return `/${this.coffer.username},`
  }

  #hear(text: string): void {
    // A namespace may omit its comma if nothing follows.
    const rest = text.slice(1)
    if (!`${rest},`.startsWith(this.#prefix)) return
    const own = rest.slice(this.#prefix.length)
    const [kind] = text
    if (kind === packet.connect) this.#joined()
    else if (kind === packet.event) this.#tell(...(JSON.parse(own) as [keyof SocketEvents, never]))
    else if (kind === packet.ack) this.#answer(own)
    else if (kind === packet.disconnect) this.#cut(offline())
    else if (kind === packet.refusal) this.#cut(refusalIn(own))
  }

  #joined(): void {
    this.#attempts = 0
    this.#isOpen = true
    if (Object.keys(this.#scopes).length > 0)
      void this.#call({ method: 'subscribe', params: { scopes: this.#scopes } }).catch(() => undefined)
    for (const [id, waiting] of this.#calls) if (!waiting.isSent) this.#emit(id, waiting)
    this.#tell('open')
  }

  #answer(text: string): void {
    const begin = text.indexOf('[')
    const id = Number(text.slice(0, begin))
    const waiting = this.#calls.get(id)
    this.#calls.delete(id)
    const [refusal, result] = JSON.parse(text.slice(begin)) as [object | null, object | undefined]
    if (refusal) waiting?.reject(errorIn(refusal) ?? errorOf())
    else waiting?.resolve(result ?? {})
  }

  #cut(refusal?: CofferError): void {
    this.#line?.close()
    this.#isOpen = false
    for (const [id, waiting] of this.#calls) {
      if (waiting.isSent && !isRepeatable(waiting.call)) {
        this.#calls.delete(id)
        waiting.reject(offline())
      }
      waiting.isSent = false
    }
    if (this.#isClosed) return
    // Jitter: clients must not reconnect simultaneously after a restart of the service.
    const wait = refusal
      ? refusedWait * (0.5 + Math.random())
      : backOff(this.#attempts++, firstWait, longestWait)
    this.#timer = setTimeout(() => this.#begin(), wait * 1000)
    this.#tell('cut', refusal)
  }

  #tell(name: keyof SocketEvents, value?: unknown): void {
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

function refusalIn(text: string): CofferError {
  const { data, message } = JSON.parse(text) as {
    readonly data?: { readonly error?: ErrorBody }
    readonly message?: string
  }
  return errorOf(data?.error ?? { message })
}
