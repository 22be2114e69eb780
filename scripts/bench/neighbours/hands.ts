/** Does heavy things over HTTP and sockets, and looks at no more of the answers than it has to. */
import { Agent, request } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { RawSocket } from '../live/raw-socket.js'
import type { SeededUser } from '../seed.js'
import type { Target } from '../target.js'

/** Answers of which the text is kept. */
const keptLength = 4 * 1024 * 1024

export class Hands {
  /** For what has to differ each time. */
  count = 0
  readonly #agent = new Agent({ keepAlive: true })

  constructor(private readonly target: Target) {}

  async rest(): Promise<void> {
    await wait(1000)
  }

  /** Makes a request below a user's root; answers the beginning of the answer. `mayFail`: whether a refusal is as good. */
  ask(user: SeededUser, verb: string, path: string, body?: string, mayFail = false): Promise<string> {
    return this.#send(
      user,
      verb,
      path,
      body === undefined ? undefined : Buffer.from(body),
      'application/json',
      mayFail
    )
  }

  async upload(user: SeededUser, path: string, bytes: Buffer): Promise<string> {
    const boundary = 'coffer-bench-boundary'
    const head = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="a.bin"\r\nContent-Type: application/octet-stream\r\n\r\n`
    const body = Buffer.concat([Buffer.from(head), bytes, Buffer.from(`\r\n--${boundary}--\r\n`)])
    return await this.#send(user, 'POST', path, body, `multipart/form-data; boundary=${boundary}`)
  }

  /** Sends a message over a socket of its own, and waits for its answer. */
  async emit(user: SeededUser, text: string): Promise<void> {
    const socket = await RawSocket.open(this.target.origin, user)
    try {
      await socket.emit(text)
    } finally {
      socket.close()
    }
  }

  close(): void {
    this.#agent.destroy()
  }

  #send(
    { token, username }: SeededUser,
    verb: string,
    path: string,
    body?: Buffer,
    type?: string,
    mayFail = false
  ): Promise<string> {
    const place = path.startsWith('/../') ? path.slice(3) : `/${username}${path}`
    const headers = {
      authorization: token,
      origin: this.target.origin,
      ...(body && { 'content-type': type, 'content-length': body.length })
    }
    return new Promise((resolve, reject) => {
      const { port } = this.target
      request(
        { agent: this.#agent, host: '127.0.0.1', port, method: verb, path: place, headers },
        response => {
          let text = ''
          response
            .on('data', (part: Buffer) => {
              if (text.length < keptLength) text += part.toString('latin1')
            })
            .on('error', reject)
            .on('end', () => {
              if (response.statusCode! < 400 || mayFail) resolve(text)
              else reject(new Error(`${verb} ${place.slice(0, 100)}: ${text.slice(0, 300)}`))
            })
        }
      )
        .on('error', reject)
        .end(body)
    })
  }
}
