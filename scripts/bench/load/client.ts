/** Minimal clients that use little CPU time: for single HTTP requests, and for Socket.IO. */
import { once } from 'node:events'
import { Agent, request, type IncomingMessage } from 'node:http'
import { performance } from 'node:perf_hooks'
import { Readable } from 'node:stream'
import { WebSocket } from 'ws'
import { encodeBody, createHeaders, getHttpMethod, type RequestSpec } from './request-spec.js'

interface Answer {
  /** The first 16 MiB of the body. */
  readonly text: string
  /** Time from the request to the end of the response. */
  readonly seconds: number
}

/** Bytes of a response that are returned as text. */
const keptLength = 16 * 1024 * 1024
const agent = new Agent({ keepAlive: true, maxSockets: 256 })

/** Sends a request and reads the whole response. Throws on an error status, unless `mayFail`. */
export async function send(origin: string, ask: RequestSpec, mayFail = false): Promise<Answer> {
  const startMs = performance.now()
  const method = getHttpMethod(ask)
  const headers = { origin, ...createHeaders(ask) }
  const asking = request(new URL(origin + ask.path), { agent, method, headers })
  const responding = once(asking, 'response') as Promise<[IncomingMessage]>
  Readable.from(encodeBody(ask)).pipe(asking)
  const [response] = await responding
  let text = ''
  let bytes = 0
  for await (const part of response as AsyncIterable<Buffer>) {
    if (bytes < keptLength) text += part.toString('latin1')
    bytes += part.length
  }
  if (response.statusCode! >= 400 && !mayFail)
    throw new Error(`${method} ${ask.path.slice(0, 120)}: ${text.slice(0, 300)}`)
  return { text, seconds: (performance.now() - startMs) / 1000 }
}

export class SocketClient {
  #onAnswer: () => void = () => {}
  #unanswered = 0

  private constructor(
    private readonly socket: WebSocket,
    private readonly namespace: string
  ) {}

  /** Connects to the namespace of a user, such as `/daisy`. Throws an error if the socket is refused. */
  static async open(origin: string, namespace: string, token: string): Promise<SocketClient> {
    const url = `${origin.replace('http', 'ws')}/socket.io/?EIO=4&transport=websocket&auth=${token}`
    const socket = new WebSocket(url)
    await once(socket, 'message')
    const opened = once(socket, 'message')
    socket.send(`40${namespace},`)
    const [answer] = (await opened) as [Buffer]
    if (!answer.toString().startsWith('40')) throw new Error(`A socket was refused: ${answer.toString()}`)
    const client = new SocketClient(socket, namespace)
    socket.on('message', data => client.#receive((data as Buffer).toString()))
    return client
  }

  /** Calls a method `times` times concurrently, without params. Resolves when all calls have returned. */
  call(method: string, times: number): Promise<void> {
    return new Promise(resolve => {
      this.#onAnswer = resolve
      this.#unanswered = times
      for (let n = 0; n < times; n++) this.socket.send(`42${this.namespace},${n}["${method}",{}]`)
    })
  }

  close(): void {
    this.socket.terminate()
  }

  #receive(text: string): void {
    if (text === '2') this.socket.send('3')
    else if (text.startsWith('43') && --this.#unanswered === 0) this.#onAnswer()
  }
}
