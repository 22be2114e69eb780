/**
 * An Engine.IO connection: long polling, which works everywhere, then a WebSocket if available. It carries text in both directions
 * until it is closed. (docs/spec/notifications.md#connecting)
 */
import { Http } from './http.js'

/** The part of `WebSocket` that is used: as in browsers, newer Node, and the package `ws`. */
export interface WebSocketLike {
  addEventListener(type: 'open' | 'close' | 'error', listener: () => void): void
  addEventListener(type: 'message', listener: (event: { readonly data: unknown }) => void): void
  send(text: string): void
  close(): void
}

export interface EngineOptions {
  /** `WebSocket` class; without it, long polling only. */
  readonly WebSocket?: (new (url: string) => WebSocketLike) | undefined
  /** Called when the connection is open and text may be sent. */
  onOpen(): void
  /** Called with each text message. */
  onText(text: string): void
  /** Called once if the connection is lost, but not after {@link EngineConnection.close}. */
  onLost(): void
}

/** Separates packets in one body. */
const separator = '\u001e'
/** Packet types, the first characters of packets. */
const packetTypes = { open: '0', close: '1', ping: '2', pong: '3', message: '4', upgrade: '5' } as const

interface OpenPacket {
  readonly sid: string
  readonly pingInterval: number
  readonly pingTimeout: number
  readonly upgrades: readonly string[]
}

export class EngineConnection {
  readonly #closed = new AbortController()
  #id = ''
  #socket: WebSocketLike | undefined
  /** Whether polling is ending, and whether the WebSocket has replaced it. */
  #isUpgrading = false
  #isUpgraded = false
  /** Packets waiting for the previous request to end, or for the WebSocket. */
  #queue: string[] = []
  #currentPost: Promise<void> | undefined
  /** Closes the connection if the service sends nothing for `#timeoutMs`. */
  #timeout: ReturnType<typeof setTimeout> | undefined
  #timeoutMs = 0

  /** Connects. `http` has the root of the service. */
  constructor(
    private readonly http: Http,
    private readonly options: EngineOptions
  ) {
    const { addEventListener: addListener } = globalThis as { addEventListener?: AddListener }
    addListener?.('offline', () => this.#endAsLost(), this.#closed)
    void this.#poll()
  }

  /** Sends a text message, or queues it until the request before it has ended or the connection is upgraded. */
  send(text: string): void {
    this.#enqueue(packetTypes.message + text)
  }

  /** Closes the connection and tells the service so, without waiting for a response. Idempotent. */
  close(): void {
    if (this.#closed.signal.aborted) return
    // The close packet is sent without waiting for a response.
    if (this.#isUpgraded) this.#socket?.send(packetTypes.close)
    else if (this.#id !== '') void this.#request('POST', packetTypes.close).catch(() => undefined)
    this.#dispose()
  }

  #dispose(): void {
    this.#closed.abort()
    clearTimeout(this.#timeout)
    this.#socket?.close()
  }

  #endAsLost(): void {
    if (this.#closed.signal.aborted) return
    this.#dispose()
    this.options.onLost()
  }

  /** Polls until the WebSocket is ready, then hands over to it. Any error counts as a loss of the connection. */
  async #poll(): Promise<void> {
    try {
      do {
        const text = await this.#request('GET')
        for (const packet of text.split(separator)) this.#receive(packet)
      } while (!this.#isUpgrading && !this.#closed.signal.aborted)
      // A POST must complete before the upgrade.
      await this.#currentPost
      if (this.#closed.signal.aborted) return
      this.#isUpgraded = true
      this.#socket?.send(packetTypes.upgrade)
      this.#flush()
    } catch {
      this.#endAsLost()
    }
  }

  async #request(verb: 'GET' | 'POST', body?: string): Promise<string> {
    const answer = await this.http.send(verb, this.#path('polling'), {
      ...(body === undefined ? {} : { body, headers: { 'Content-Type': 'text/plain;charset=UTF-8' } }),
      ...(body === packetTypes.close ? { keepalive: true } : { signal: this.#closed.signal }),
      cache: 'no-store',
      isRepeatable: false
    })
    if (!answer.ok) throw new Error(answer.statusText)
    return await answer.text()
  }

  #path(transport: string): string {
    const sid = this.#id === '' ? '' : `&sid=${encodeURIComponent(this.#id)}`
    return `socket.io/?EIO=4&transport=${transport}${sid}`
  }

  #enqueue(packet: string): void {
    this.#queue.push(packet)
    this.#flush()
  }

  /** Sends the waiting packets: over the WebSocket, or in sequential requests. */
  #flush(): void {
    if (this.#closed.signal.aborted || this.#queue.length === 0 || this.#currentPost) return
    if (this.#isUpgraded) for (const packet of this.#queue.splice(0)) this.#socket?.send(packet)
    else if (!this.#isUpgrading) this.#currentPost = this.#post(this.#queue.splice(0).join(separator))
  }

  async #post(body: string): Promise<void> {
    try {
      await this.#request('POST', body)
    } catch {
      this.#endAsLost()
    }
    this.#currentPost = undefined
    this.#flush()
  }

  #receive(packet: string): void {
    if (this.#closed.signal.aborted) return
    const text = packet.slice(1)
    if (packet[0] === packetTypes.open) this.#start(JSON.parse(text) as OpenPacket)
    else if (packet[0] === packetTypes.ping) this.#enqueue(packetTypes.pong)
    else if (packet[0] === packetTypes.close) this.#endAsLost()
    else if (packet[0] === packetTypes.message) this.options.onText(text)
    clearTimeout(this.#timeout)
    if (!this.#closed.signal.aborted) this.#timeout = setTimeout(() => this.#endAsLost(), this.#timeoutMs)
  }

  #start({ sid, pingInterval, pingTimeout, upgrades }: OpenPacket): void {
    this.#id = sid
    this.#timeoutMs = pingInterval + pingTimeout
    this.options.onOpen()
    if (this.options.WebSocket && upgrades.includes('websocket')) this.#upgrade(this.options.WebSocket)
  }

  /** Probes a WebSocket while polling continues. */
  #upgrade(WebSocket: NonNullable<EngineOptions['WebSocket']>): void {
    const url = new URL(this.#path('websocket'), this.http.root)
    url.protocol = url.protocol.replace('http', 'ws')
    const socket = new WebSocket(url.href)
    this.#socket = socket
    socket.addEventListener('open', () => socket.send(`${packetTypes.ping}probe`))
    socket.addEventListener('message', ({ data }) => {
      const text = String(data)
      // The service now answers the pending poll, with all packets so far.
      try {
        if (text === `${packetTypes.pong}probe`) this.#isUpgrading = true
        else this.#receive(text)
      } catch {
        // An invalid packet: an exception here would end the process.
        this.#endAsLost()
      }
    })
    // Without a listener, an error would end the process; `close` follows it.
    socket.addEventListener('error', () => undefined)
    socket.addEventListener('close', () => {
      if (this.#isUpgrading) this.#endAsLost()
    })
  }
}

type AddListener = (type: string, listener: () => void, options: { readonly signal: AbortSignal }) => void
