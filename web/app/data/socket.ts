/**
 * What changes, heard by Socket.IO: long polling, whose requests can bear a header and leave out cookies, and a websocket that
 * takes over where it may. Only hears: nothing is called this way. (docs/api/sockets.md)
 */
import { root } from '../../api.js'

export interface Hearing {
  /** Headers of all requests. */
  readonly headers?: Readonly<Record<string, string>>
  /** A token. With it no cookie is sent, and there is no websocket, which would send one. */
  readonly token?: string | undefined
  onOpen(): void
  /** It has been cut, could not be begun or was refused; it is tried again by itself. */
  onCut(): void
  /** An event came, of this name. */
  onEvent(name: string): void
}

/** Shortest and longest time until the next attempt, and that after a refusal, in milliseconds. */
const firstWait = 1000
const longestWait = 5000
const refusedWait = 30_000
/** What separates packets in one answer. */
const separator = '\u001e'

/** First letters of packets of Engine.IO, and of Socket.IO within messages. */
const engine = { open: '0', close: '1', ping: '2', pong: '3', message: '4', upgrade: '5' } as const
const packet = { connect: '0', disconnect: '1', event: '2', refusal: '4' } as const

/** Joins a namespace, and joins it again whenever that has ended. Returns what ends it for good. */
export function hear(namespace: string, hearing: Hearing): () => void {
  let line: Line | undefined
  let timer: number | undefined
  let attempts = 0
  const opened = (): void => {
    attempts = 0
    hearing.onOpen()
  }
  const cut = (isRefused: boolean): void => {
    const wait = isRefused ? refusedWait : Math.min(longestWait, firstWait * 2 ** attempts++)
    // Not all at once after a restart of the service.
    timer = window.setTimeout(begin, wait * (0.5 + Math.random()))
    hearing.onCut()
  }
  const begin = (): void => {
    line = new Line(namespace, hearing, opened, cut)
  }
  begin()
  return () => {
    clearTimeout(timer)
    line?.close()
  }
}

/** One connection, from its handshake until it is cut. */
class Line {
  readonly #gone = new AbortController()
  #id = ''
  #socket: WebSocket | undefined
  /** Whether the polling comes to its end, and whether the websocket is the only way now. */
  #isMoving = false
  #isMoved = false
  /** What is to be said as soon as the websocket is that. */
  readonly #unsaid: string[] = []
  /** Runs out if the service has been silent for too long. */
  #silence: number | undefined
  #patience = 0

  constructor(
    private readonly namespace: string,
    private readonly hearing: Hearing,
    private readonly onOpen: () => void,
    private readonly onCut: (isRefused: boolean) => void
  ) {
    addEventListener('offline', () => this.#cut(), this.#gone)
    void this.#poll()
  }

  close(): void {
    if (this.#gone.signal.aborted) return
    if (this.#id !== '') void this.#send(engine.close)
    this.#end()
  }

  #end(): void {
    this.#gone.abort()
    clearTimeout(this.#silence)
    this.#socket?.close()
  }

  #cut(isRefused = false): void {
    if (this.#gone.signal.aborted) return
    this.#end()
    this.onCut(isRefused)
  }

  async #poll(): Promise<void> {
    try {
      do {
        const text = await this.#request('GET')
        for (const each of text.split(separator)) this.#take(each)
      } while (!this.#isMoving && !this.#gone.signal.aborted)
      this.#isMoved = this.#isMoving
      if (this.#isMoved) for (const each of [engine.upgrade, ...this.#unsaid]) this.#socket?.send(each)
    } catch {
      this.#cut()
    }
  }

  async #request(method: string, body?: string): Promise<string> {
    const { headers = {}, token } = this.hearing
    const answer = await fetch(this.#address('polling'), {
      method,
      headers: body === undefined ? headers : { ...headers, 'Content-Type': 'text/plain;charset=UTF-8' },
      body: body ?? null,
      credentials: token === undefined ? 'same-origin' : 'omit',
      cache: 'no-store',
      // What is said last goes out, though nobody waits for the answer.
      ...(body === engine.close ? { keepalive: true } : { signal: this.#gone.signal })
    })
    if (!answer.ok) throw new Error(answer.statusText)
    return await answer.text()
  }

  #address(transport: string): URL {
    const url = new URL('socket.io/', root)
    url.search = String(
      new URLSearchParams({ EIO: '4', transport, ...(this.#id === '' ? {} : { sid: this.#id }) })
    )
    return url
  }

  async #send(text: string): Promise<void> {
    if (this.#isMoved) this.#socket?.send(text)
    else if (this.#isMoving) this.#unsaid.push(text)
    else await this.#request('POST', text).catch(() => this.#cut())
  }

  #take(text: string): void {
    if (this.#gone.signal.aborted) return
    const rest = text.slice(1)
    if (text[0] === engine.open) void this.#greet(JSON.parse(rest) as Greeting)
    else if (text[0] === engine.ping) void this.#send(engine.pong)
    else if (text[0] === engine.close) this.#cut()
    else if (text[0] === engine.message) this.#hear(rest)
    clearTimeout(this.#silence)
    if (!this.#gone.signal.aborted) this.#silence = window.setTimeout(() => this.#cut(), this.#patience)
  }

  async #greet({ sid, pingInterval, pingTimeout, upgrades }: Greeting): Promise<void> {
    this.#id = sid
    this.#patience = pingInterval + pingTimeout
    const { token } = this.hearing
    const own = token === undefined ? '' : JSON.stringify({ auth: token })
    await this.#send(`${engine.message}${packet.connect}${this.#prefix}${own}`)
    if (token === undefined && upgrades.includes('websocket') && !this.#gone.signal.aborted) this.#move()
  }

  /** Tries a websocket beside the polling, which goes on if there is none. */
  #move(): void {
    const socket = new WebSocket(this.#address('websocket'))
    this.#socket = socket
    socket.addEventListener('open', () => socket.send(`${engine.ping}probe`))
    socket.addEventListener('message', ({ data }) => {
      const text = String(data)
      // The service now answers the request that waits; what it has said until then comes that way.
      if (text === `${engine.pong}probe`) this.#isMoving = true
      else this.#take(text)
    })
    socket.addEventListener('close', () => {
      if (this.#isMoving) this.#cut()
    })
  }

  get #prefix(): string {
    return `/${this.namespace},`
  }

  #hear(text: string): void {
    const rest = text.slice(1)
    if (!rest.startsWith(`/${this.namespace}`)) return
    if (text[0] === packet.connect) this.onOpen()
    else if (text[0] === packet.event) this.hearing.onEvent(nameIn(rest.slice(this.#prefix.length)))
    else if (text[0] === packet.disconnect || text[0] === packet.refusal) this.#cut(true)
  }
}

interface Greeting {
  readonly sid: string
  /** Milliseconds, as the next one. */
  readonly pingInterval: number
  readonly pingTimeout: number
  readonly upgrades: readonly string[]
}

/** The name of an event: the first of what it brings. */
function nameIn(text: string): string {
  return String((JSON.parse(text) as readonly unknown[])[0])
}
