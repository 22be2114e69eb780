/** A proxy before a service, below a path of its own: tests stop it, let it hang, or have it serve another build. */
import { createServer, request, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { Test } from 'tap'

/** What becomes of requests: answered by the service, by an error of the proxy, or not at all. */
type Mood = 'open' | 'failing' | 'silent'

export class Front {
  mood: Mood = 'open'
  /** Root of the service behind it, without a slash at the end. */
  target = ''
  /** Changes answers that are text; paths are changed back by the `asked` rule. */
  rewrite: { asked(path: string): string; answered(text: string): string } | undefined
  readonly #server: Server = createServer((req, res) => this.#pass(req, res))
  #port = 0

  private constructor(readonly path: string) {}

  /** Starts one below a path, such as `/coffer`; the test's teardown ends it. */
  static async start(t: Test, path = ''): Promise<Front> {
    const front = new Front(path)
    await front.resume()
    t.teardown(async () => await front.stop())
    return front
  }

  /** Root of the service as browsers see it, without a slash at the end. */
  get url(): string {
    return `http://127.0.0.1:${this.#port}${this.path}`
  }

  async resume(): Promise<void> {
    this.#server.listen(this.#port, '127.0.0.1')
    await once(this.#server, 'listening')
    this.#port = (this.#server.address() as AddressInfo).port
  }

  /** Refuses connections from now on, and cuts those that there are. */
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
