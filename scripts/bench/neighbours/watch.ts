/** Asks small things at a steady pace while others do something heavy: a process of its own, so that it is late by nothing else. */
import { Agent, request } from 'node:http'
import { performance } from 'node:perf_hooks'

/** Begins to watch, or ends it. */
export type Order = { readonly port: number; readonly asks: readonly WatchedAsk[] } | { readonly port: 0 }

export interface WatchedAsk {
  readonly verb: 'GET' | 'POST'
  readonly path: string
  readonly token: string
  readonly body: string | undefined
}

/** Times from when a request was due to its answer, milliseconds. */
export interface Watched {
  readonly count: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly maxMs: number
  /** What the first bad answer said. */
  readonly complaint: string | undefined
}

/** Time between two requests: a hundred a second, whether those before have been answered or not. */
const everyMs = 10

class Watch {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 256 })
  readonly #timesMs: number[] = []
  readonly #timer: NodeJS.Timeout
  readonly #startMs = performance.now()
  readonly #under = new Set<Promise<void>>()
  #sent = 0
  #complaint: string | undefined

  constructor(
    private readonly port: number,
    private readonly asks: readonly WatchedAsk[]
  ) {
    this.#timer = setInterval(() => this.#catchUp(), 1)
  }

  async end(): Promise<Watched> {
    clearInterval(this.#timer)
    await Promise.all(this.#under)
    this.#agent.destroy()
    const sorted = this.#timesMs.toSorted((a, b) => a - b)
    const at = (share: number): number => sorted[Math.floor(sorted.length * share)] ?? Number.NaN
    return {
      count: sorted.length,
      p50Ms: at(0.5),
      p99Ms: at(0.99),
      maxMs: sorted.at(-1) ?? Number.NaN,
      complaint: this.#complaint
    }
  }

  #catchUp(): void {
    for (;;) {
      const dueMs = this.#startMs + this.#sent * everyMs
      if (dueMs > performance.now()) return
      const ask = this.asks[this.#sent++ % this.asks.length]!
      // What this process itself is late by is nobody's fault but its own.
      const asked = this.#ask(ask, performance.now()).finally(() => this.#under.delete(asked))
      this.#under.add(asked)
    }
  }

  #ask({ body, path, token, verb }: WatchedAsk, sentMs: number): Promise<void> {
    return new Promise(resolve => {
      const fail = (complaint: string): void => {
        this.#complaint ??= complaint
        resolve()
      }
      const headers = {
        authorization: token,
        ...(body !== undefined && {
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(body)
        })
      }
      request(
        { agent: this.#agent, headers, host: '127.0.0.1', method: verb, path, port: this.port },
        response => {
          let text = ''
          response
            .on('data', part => (text += part))
            .on('error', (error: Error) => fail(error.message))
            .on('end', () => {
              this.#timesMs.push(performance.now() - sentMs)
              if (response.statusCode! >= 400) fail(`${verb} ${path}: ${text.slice(0, 300)}`)
              else resolve()
            })
        }
      )
        .on('error', error => fail(error.message))
        .end(body)
    })
  }
}

let watch: Watch | undefined

process.on('message', (order: Order) => {
  if ('asks' in order) {
    watch = new Watch(order.port, order.asks)
    process.send?.('watching')
  } else void watch?.end().then(watched => process.send?.(watched))
})
