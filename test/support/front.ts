/** A proxy in front of a service, below a path: tests can stop it, make it hang, or make it serve another build. */
import { createServer, request, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { Test } from 'tap'

/** How requests are handled: by the service, by an error of the proxy, or not at all. */
type Mood = 'open' | 'failing' | 'silent'

export class Front {
  mood: Mood = 'open'
  /** Root URL of the service behind it, without a trailing slash. */
  target = ''
  /** Changes text responses; the `asked` rule maps paths back. */
  rewrite: { asked(path: string): string; answered(text: string): string } | undefined
  readonly #server: Server = createServer((req, res) => this.#pass(req, res))
  #port = 0

  private constructor(readonly path: string) {}

  /** Starts a proxy below a path, such as `/coffer`; the test's teardown stops it. */
  static async start(t: Test, path = ''): Promise<Front> {
    const front = new Front(path)
    await front.resume()
    t.teardown(async () => await front.stop())
    return front
  }

  /** Root URL of the service as browsers see it, without a trailing slash. */
  get url(): string {
    return `http://127.0.0.1:${this.#port}${this.path}`
  }

  async resume(): Promise<void> {
    this.#server.listen(this.#port, '127.0.0.1')
    await once(this.#server, 'listening')
    this.#port = (this.#server.address() as AddressInfo).port
  }

  /** Refuses new connections, and closes the open ones. */
  async stop(): Promise<void> {
    if (!this.#server.listening) return
    const closed = once(this.#server, 'close')
    this.#server.close()
    this.#server.closeAllConnections()
    await closed
  }

  #pass(req: IncomingMessage, res: ServerResponse): void {
    const path = req.url ?? '/'
    if (this.mood === 'silent') return
    if (this.mood === 'failing') return void res.writeHead(502).end('Bad gateway')
    if (!path.startsWith(`${this.path}/`)) return void res.writeHead(404).end()
    const below = path.slice(this.path.length)
    const { rewrite } = this
    const headers = { ...req.headers }
    if (rewrite) for (const name of ['accept-encoding', 'if-none-match']) delete headers[name]
    const url = this.target + (rewrite ? rewrite.asked(below) : below)
    const passed = request(url, { method: req.method, headers }, answer => {
      if (!rewrite || !/javascript|html/.test(answer.headers['content-type'] ?? '')) {
        res.writeHead(answer.statusCode!, answer.headers)
        answer.pipe(res)
        return
      }
      void text(answer).then(original => {
        const { 'content-length': _, etag: __, ...rest } = answer.headers
        res.writeHead(answer.statusCode!, rest).end(rewrite.answered(original))
      })
    })
    passed.on('error', () => res.destroy())
    res.on('close', () => passed.destroy())
    req.pipe(passed)
  }
}
