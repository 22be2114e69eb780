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

export interface LineOptions {
  /** `WebSocket` class; without one, long polling only. */
  readonly WebSocket?: (new (url: string) => WebSocketLike) | undefined
  /** Called when the connection is open and text may be sent. */
  onOpen(): void
  onText(text: string): void
  /** Called once if the connection is lost, but not after {@link Line.close}. */
  onCut(): void
}

/** Separates packets in one body. */
const separator = '\u001e'
/** Packet types, the first characters of packets. */
const engine = { open: '0', close: '1', ping: '2', pong: '3', message: '4', upgrade: '5' } as const

interface Greeting {
  readonly sid: string
  readonly pingInterval: number
  readonly pingTimeout: number
  readonly upgrades: readonly string[]
}

export class Line {
  readonly #gone = new AbortController()
  #id = ''
  #socket: WebSocketLike | undefined
  /** Whether polling is ending, and whether the WebSocket has replaced it. */
  #isMoving = false
  #isMoved = false
  /** Packets waiting for the request before them, or for the WebSocket. */
  #unsent: string[] = []
  #posting: Promise<void> | undefined
  /** Closes the connection if the service sends nothing for `#timeoutMs`. */
  #silence: ReturnType<typeof setTimeout> | undefined
  #patienceMs = 0

  /** Connects. `http` has the root of the service. */
  constructor(
    private readonly http: Http,
    private readonly options: LineOptions
  ) {
    const { addEventListener: listen } = globalThis as { addEventListener?: Listen }
    listen?.('offline', () => this.#cut(), this.#gone)
    void this.#poll()
  }

  send(text: string): void {
    this.#say(engine.message + text)
  }

  close(): void {
    if (this.#gone.signal.aborted) return
    // The close packet is sent without waiting for a response.
    if (this.#isMoved) this.#socket?.send(engine.close)
    else if (this.#id !== '') void this.#ask('POST', engine.close).catch(() => undefined)
    this.#end()
  }

  #end(): void {
    this.#gone.abort()
    clearTimeout(this.#silence)
    this.#socket?.close()
  }

  #cut(): void {
    if (this.#gone.signal.aborted) return
    this.#end()
    this.options.onCut()
  }

  async #poll(): Promise<void> {
    try {
      do {
        const text = await this.#ask('GET')
        for (const each of text.split(separator)) this.#take(each)
      } while (!this.#isMoving && !this.#gone.signal.aborted)
      // A POST must complete before the upgrade.
      await this.#posting
      if (this.#gone.signal.aborted) return
      this.#isMoved = true
      this.#socket?.send(engine.upgrade)
      this.#flush()
    } catch {
      this.#cut()
    }
  }

  async #ask(verb: 'GET' | 'POST', body?: string): Promise<string> {
    const answer = await this.http.send(verb, this.#address('polling'), {
      ...(body === undefined ? {} : { body, headers: { 'Content-Type': 'text/plain;charset=UTF-8' } }),
      ...(body === engine.close ? { keepalive: true } : { signal: this.#gone.signal }),
      cache: 'no-store',
      isRepeatable: false
    })
    if (!answer.ok) throw new Error(answer.statusText)
    return await answer.text()
  }

  #address(transport: string): string {
    const sid = this.#id === '' ? '' : `&sid=${encodeURIComponent(this.#id)}`
    return `socket.io/?EIO=4&transport=${transport}${sid}`
  }

  #say(packet: string): void {
    this.#unsent.push(packet)
    this.#flush()
  }

  /** Sends the waiting packets: over the WebSocket, or in sequential requests. */
  #flush(): void {
    if (this.#gone.signal.aborted || this.#unsent.length === 0 || this.#posting) return
    if (this.#isMoved) for (const packet of this.#unsent.splice(0)) this.#socket?.send(packet)
    else if (!this.#isMoving) this.#posting = this.#post(this.#unsent.splice(0).join(separator))
  }

  async #post(body: string): Promise<void> {
    try {
      await this.#ask('POST', body)
    } catch {
      this.#cut()
    }
    this.#posting = undefined
    this.#flush()
  }

  #take(packet: string): void {
    if (this.#gone.signal.aborted) return
    const text = packet.slice(1)
    if (packet[0] === engine.open) this.#greet(JSON.parse(text) as Greeting)
    else if (packet[0] === engine.ping) this.#say(engine.pong)
    else if (packet[0] === engine.close) this.#cut()
    else if (packet[0] === engine.message) this.options.onText(text)
    clearTimeout(this.#silence)
    if (!this.#gone.signal.aborted) this.#silence = setTimeout(() => this.#cut(), this.#patienceMs)
  }

  #greet({ sid, pingInterval, pingTimeout, upgrades }: Greeting): void {
    this.#id = sid
    this.#patienceMs = pingInterval + pingTimeout
    this.options.onOpen()
    if (this.options.WebSocket && upgrades.includes('websocket')) this.#move(this.options.WebSocket)
  }

  /** Probes a WebSocket while polling continues. */
  #move(WebSocket: NonNullable<LineOptions['WebSocket']>): void {
    const url = new URL(this.#address('websocket'), this.http.root)
    url.protocol = url.protocol.replace('http', 'ws')
    const socket = new WebSocket(url.href)
    this.#socket = socket
    socket.addEventListener('open', () => socket.send(`${engine.ping}probe`))
    socket.addEventListener('message', ({ data }) => {
      const text = String(data)
      // The service now answers the pending poll, with all packets so far.
      try {
        if (text === `${engine.pong}probe`) this.#isMoving = true
        else this.#take(text)
      } catch {
        // An invalid packet: an exception here would end the process.
        this.#cut()
      }
    })
    // Without a listener, an error would end the process; `close` follows it.
    socket.addEventListener('error', () => undefined)
    socket.addEventListener('close', () => {
      if (this.#isMoving) this.#cut()
    })
  }
}

type Listen = (type: string, listener: () => void, options: { readonly signal: AbortSignal }) => void
