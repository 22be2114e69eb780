/**
 * The load generator, a separate process that is controlled by messages: persistent connections with one request in flight
 * on each. (docs/decisions/0016-the-bench-has-its-own-load-generator.md)
 */
import { connect } from 'node:net'
import { performance } from 'node:perf_hooks'
import { serialPlaceholder } from '../seed/sample.js'
import { encodeRequest, type RequestSpec } from './request-spec.js'
import { ResponseReader } from './response-reader.js'
import { SocketClient } from './client.js'
import { percentile } from './statistics.js'

export interface LoadJob {
  readonly port: number
  /** Requests to pick from at random. Connections are divided among the ports of the requests. */
  readonly requests: readonly RequestSpec[]
  readonly connections: number
  /** Duration; by default until the message `stop`. */
  readonly seconds?: number
  /**
   * Requests per second, sent on schedule whether or not earlier ones have completed; by default each request is sent
   * as soon as the previous response has arrived.
   */
  readonly requestsPerSecond?: number
}

/** The results. Latencies are milliseconds from when a request was due to the end of its response. */
export interface LoadResult {
  /** Number of responses. */
  readonly count: number
  /** Number of responses with a status of 400 or above, and of broken connections. */
  readonly failures: number
  /** A description of the first failure. */
  readonly firstFailure: string | undefined
  readonly seconds: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly maxMs: number
}

/** Time without data after which a connection is closed. */
const timeoutMs = 30_000
/** Calls in flight per socket. Several keep the server busy: waking it from waiting costs CPU time. */
const maxConcurrentCalls = 10

let current: LoadRun | undefined
let serial = Number(serialPlaceholder)

process.on('message', (order: LoadJob | 'stop') => {
  if (order === 'stop') return current?.stop()
  current = new LoadRun(order)
  void current.ended.then(load => process.send?.(load))
})

class LoadRun {
  readonly ended: Promise<LoadResult>
  readonly #startMs = performance.now()
  readonly #timesMs: number[] = []
  #endMs: number
  #due = 0
  #bad = 0
  #complaint: string | undefined

  constructor(private readonly job: LoadJob) {
    this.#endMs = this.#startMs + (job.seconds ?? Infinity) * 1000
    const isCalling = job.requests[0]?.method !== undefined
    const ports = Array.from(new Set(job.requests.map(({ port = job.port }) => port)))
    const requests = ports.map(
      own => [own, job.requests.filter(({ port = job.port }) => port === own).map(encodeRequest)] as const
    )
    const one = (_: unknown, n: number): Promise<void> =>
      isCalling ? this.#callMethod(n) : this.#sendRequests(...requests[n % requests.length]!)
    this.ended = Promise.all(Array.from({ length: job.connections }, one)).then(() => this.#getResult())
  }

  /** Ends the run: connections send no further requests. */
  stop(): void {
    this.#endMs = performance.now()
  }

  /** Runs one connection: sends requests one after another until the time is over. */
  #sendRequests(port: number, requests: readonly (string | Buffer)[]): Promise<void> {
    return new Promise(resolve => {
      const socket = connect(port, '127.0.0.1').setNoDelay(true)
      const reader = new ResponseReader()
      let dueMs = 0
      const finish = (complaint?: string): void => {
        // Closing the socket emits another error.
        socket.removeAllListeners().on('error', () => undefined)
        if (complaint !== undefined) this.#addFailure(complaint)
        socket.destroy()
        resolve()
      }
      const send = (): void => {
        if (dueMs >= this.#endMs) finish()
        else socket.write(numberRequest(requests[Math.floor(Math.random() * requests.length)]!))
      }
      const ask = (): void => {
        dueMs = this.#getNextDueMs()
        const remainingMs = dueMs - performance.now()
        if (remainingMs <= 0 || dueMs >= this.#endMs) return send()
        setTimeout(() => {
          // Do not count the delay of this process's own timer.
          if (dueMs < this.#endMs) dueMs = performance.now()
          send()
        }, remainingMs)
      }
      socket.setTimeout(timeoutMs, () => finish('timed out'))
      socket.on('connect', ask)
      socket.on('error', error => finish(error.message))
      socket.on('close', () => finish('connection closed'))
      socket.on('data', (bytes: Buffer) => {
        const status = reader.feed(bytes)
        if (status === undefined) return
        this.#timesMs.push(performance.now() - dueMs)
        if (status >= 400) this.#addFailure(bytes.toString('utf8').slice(0, 600))
        ask()
      })
    })
  }

  /** Runs one socket: calls a method concurrently until the time is over. */
  async #callMethod(n: number): Promise<void> {
    const { requests, port } = this.job
    const { method, path, token } = requests[n % requests.length]!
    const socket = await SocketClient.open(`http://127.0.0.1:${port}`, path, token!)
    for (let startMs; (startMs = performance.now()) < this.#endMs;) {
      await socket.call(method!, maxConcurrentCalls)
      for (let call = 0; call < maxConcurrentCalls; call++) this.#timesMs.push(performance.now() - startMs)
    }
    socket.close()
  }

  /** Returns when the next request is due. At a given rate, a late response delays the next request, whose latency includes the delay. */
  #getNextDueMs(): number {
    const { requestsPerSecond } = this.job
    return requestsPerSecond === undefined
      ? performance.now()
      : this.#startMs + (this.#due++ * 1000) / requestsPerSecond
  }

  #addFailure(complaint: string): void {
    this.#bad++
    this.#complaint ??= complaint
  }

  #getResult(): LoadResult {
    return {
      count: this.#timesMs.length,
      failures: this.#bad,
      firstFailure: this.#complaint,
      seconds: (performance.now() - this.#startMs) / 1000,
      p50Ms: percentile(this.#timesMs, 0.5),
      p99Ms: percentile(this.#timesMs, 0.99),
      maxMs: percentile(this.#timesMs, 1)
    }
  }
}

/** Returns the request with its serial placeholder replaced by the next number. */
function numberRequest(request: string | Buffer): string | Buffer {
  if (typeof request !== 'string' || !request.includes(serialPlaceholder)) return request
  return request.replaceAll(serialPlaceholder, String(++serial))
}
