/**
 * A connection of Engine.IO: long polling, which works everywhere, and a websocket that takes over where there is one. It carries
 * text both ways until it is cut. (docs/spec/notifications.md#connecting)
 */
import { Http } from './http.js'

/** The part of `WebSocket` that is used: of browsers, of newer Node, and of the package `ws`. */
export interface WebSocketLike {
  addEventListener(type: 'open' | 'close' | 'error', listener: () => void): void
  addEventListener(type: 'message', listener: (event: { readonly data: unknown }) => void): void
  send(text: string): void
  close(): void
}

export interface LineOptions {
  /** Class of websockets; without one it polls. */
  readonly WebSocket?: (new (url: string) => WebSocketLike) | undefined
  /** The line is there: text may be sent. */
  onOpen(): void
  onText(text: string): void
  /** It has been cut, once, and never by {@link Line.close}. */
  onCut(): void
}

/** What separates packets in one body. */
const separator = '\u001e'
/** First letters of packets. */
const engine = { open: '0', close: '1', ping: '2', pong: '3', message: '4', upgrade: '5' } as const

interface Greeting {
  readonly sid: string
  /** Milliseconds, as the next one. */
  readonly pingInterval: number
  readonly pingTimeout: number
  readonly upgrades: readonly string[]
}

export class Line {
  readonly #gone = new AbortController()
  #id = ''
  #socket: WebSocketLike | undefined
  /** Whether the polling comes to its end, and whether the websocket is the only way now. */
  #isMoving = false
  #isMoved = false
  /** Packets that wait: for the request before them, or for the websocket. */
  #unsent: string[] = []
  #posting: Promise<void> | undefined
  /** Runs out if the service has been silent for too long. */
  #silence: ReturnType<typeof setTimeout> | undefined
  #patienceMs = 0

  /** `http` stands for the root of the service. */
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
    // What is said last goes out, though nobody waits for the answer.
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
      // What is being posted would come too late after this.
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

  /** Sends what waits: by the websocket, or in one request after the other. */
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

  /** Tries a websocket beside the polling, which goes on if there is none. */
  #move(WebSocket: NonNullable<LineOptions['WebSocket']>): void {
    const url = new URL(this.#address('websocket'), this.http.root)
    url.protocol = url.protocol.replace('http', 'ws')
    const socket = new WebSocket(url.href)
    this.#socket = socket
    socket.addEventListener('open', () => socket.send(`${engine.ping}probe`))
    socket.addEventListener('message', ({ data }) => {
      const text = String(data)
      // The service now answers the request that waits; what it has said until then comes that way.
      try {
        if (text === `${engine.pong}probe`) this.#isMoving = true
        else this.#take(text)
      } catch {
        // It makes no sense. Thrown here it would end the process.
        this.#cut()
      }
    })
    // An error that nobody hears would end a process; what follows is its end.
    socket.addEventListener('error', () => undefined)
    socket.addEventListener('close', () => {
      if (this.#isMoving) this.#cut()
    })
  }
}

type Listen = (type: string, listener: () => void, options: { readonly signal: AbortSignal }) => void
