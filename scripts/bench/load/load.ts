/**
 * The load generator, a process of its own that is controlled by messages: connections that stay open, with one request in flight
 * on each. (docs/decisions/0016-the-bench-has-its-own-load-generator.md)
 */
import { connect } from 'node:net'
import { performance } from 'node:perf_hooks'
import { serialMark } from '../seed/sample.js'
import { requestOf, type Ask } from './ask.js'
import { ResponseReader } from './response-reader.js'
import { RawSocket } from './socket.js'
import { percentile } from './statistics.js'

export interface Job {
  readonly port: number
  /** Picked at random. Connections are divided among the ports that they name. */
  readonly asks: readonly Ask[]
  readonly connections: number
  /** Duration; by default until a message says stop. */
  readonly seconds?: number
  /** Requests per second, sent on schedule whether or not earlier ones were answered; by default as fast as responses arrive. */
  readonly pace?: number
}

/** The results. Times run from when a request was due to the end of its response, in milliseconds. */
export interface Load {
  /** Requests with a response. */
  readonly count: number
  /** Responses with a status of 400 or above, and broken connections. */
  readonly bad: number
  /** The first bad response. */
  readonly complaint: string | undefined
  readonly seconds: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly maxMs: number
}

/** Time without data after which a connection is given up. */
const patienceMs = 30_000
/** Calls in flight on a socket, enough to keep the server busy: each time it is woken from waiting costs CPU time too. */
const callsAtOnce = 10

let current: Run | undefined
let serial = Number(serialMark)

process.on('message', (order: Job | 'stop') => {
  if (order === 'stop') return current?.stop()
  current = new Run(order)
  void current.ended.then(load => process.send?.(load))
})

class Run {
  readonly ended: Promise<Load>
  readonly #startMs = performance.now()
  readonly #timesMs: number[] = []
  #endMs: number
  #due = 0
  #bad = 0
  #complaint: string | undefined

  constructor(private readonly job: Job) {
    this.#endMs = this.#startMs + (job.seconds ?? Infinity) * 1000
    const isCalling = job.asks[0]?.method !== undefined
    const ports = Array.from(new Set(job.asks.map(({ at = job.port }) => at)))
    const requests = ports.map(
      port => [port, job.asks.filter(({ at = job.port }) => at === port).map(requestOf)] as const
    )
    const one = (_: unknown, n: number): Promise<void> =>
      isCalling ? this.#keepCalling(n) : this.#keepAsking(...requests[n % requests.length]!)
    this.ended = Promise.all(Array.from({ length: job.connections }, one)).then(() => this.#summary())
  }

  stop(): void {
    this.#endMs = performance.now()
  }

  /** Runs one connection: sends requests one after another until the time is over. */
  #keepAsking(port: number, requests: readonly (string | Buffer)[]): Promise<void> {
    return new Promise(resolve => {
      const socket = connect(port, '127.0.0.1').setNoDelay(true)
      const reader = new ResponseReader()
      let dueMs = 0
      const finish = (complaint?: string): void => {
        // Closing it says so once more, when nobody listens.
        socket.removeAllListeners().on('error', () => undefined)
        if (complaint !== undefined) this.#failed(complaint)
        socket.destroy()
        resolve()
      }
      const send = (): void => {
        if (dueMs >= this.#endMs) finish()
        else socket.write(serialized(requests[Math.floor(Math.random() * requests.length)]!))
      }
      const ask = (): void => {
        dueMs = this.#nextMs()
        const remainingMs = dueMs - performance.now()
        if (remainingMs <= 0 || dueMs >= this.#endMs) return send()
        setTimeout(() => {
          // Do not count the delay of this process's own timer.
          if (dueMs < this.#endMs) dueMs = performance.now()
          send()
        }, remainingMs)
      }
      socket.setTimeout(patienceMs, () => finish('no answer'))
      socket.on('connect', ask)
      socket.on('error', error => finish(error.message))
      socket.on('close', () => finish('connection closed'))
      socket.on('data', (bytes: Buffer) => {
        const status = reader.feed(bytes)
        if (status === undefined) return
        this.#timesMs.push(performance.now() - dueMs)
        if (status >= 400) this.#failed(bytes.toString('utf8').slice(0, 600))
        ask()
      })
    })
  }

  /** Runs one socket: calls a method several times at once until the time is over. */
  async #keepCalling(n: number): Promise<void> {
    const { asks, port } = this.job
    const { method, path, token } = asks[n % asks.length]!
    const socket = await RawSocket.open(`http://127.0.0.1:${port}`, path, token!)
    for (let startMs; (startMs = performance.now()) < this.#endMs;) {
      await socket.call(method!, callsAtOnce)
      for (let call = 0; call < callsAtOnce; call++) this.#timesMs.push(performance.now() - startMs)
    }
    socket.close()
  }

  /** When the next request is due. At a steady pace a late response delays the next request, and counts for it too. */
  #nextMs(): number {
    const { pace } = this.job
    return pace === undefined ? performance.now() : this.#startMs + (this.#due++ * 1000) / pace
  }

  #failed(complaint: string): void {
    this.#bad++
    this.#complaint ??= complaint
  }

  #summary(): Load {
    return {
      count: this.#timesMs.length,
      bad: this.#bad,
      complaint: this.#complaint,
      seconds: (performance.now() - this.#startMs) / 1000,
      p50Ms: percentile(this.#timesMs, 0.5),
      p99Ms: percentile(this.#timesMs, 0.99),
      maxMs: percentile(this.#timesMs, 1)
    }
  }
}

/** The request with its serial mark replaced by a new number. */
function serialized(request: string | Buffer): string | Buffer {
  if (typeof request !== 'string' || !request.includes(serialMark)) return request
  return request.replaceAll(serialMark, String(++serial))
}
