/** Puts a server under load for a while: raw keep-alive sockets, one request in flight on each. */
import { connect } from 'node:net'
import { performance } from 'node:perf_hooks'
import { serialMark } from '../series-sample.js'
import { ResponseReader } from './response-reader.js'

/** What to send where. */
export interface Job {
  readonly port: number
  /** Texts of requests, one picked at random each time. */
  readonly requests: readonly string[]
  readonly connections: number
  readonly seconds: number
  /** Requests that come each second, whether or not those before have been answered; as many as are answered by default. */
  readonly pace?: number
}

export interface Load {
  /** Requests that were answered. */
  readonly count: number
  /** Answers with a status of 400 and above, and connections that broke. */
  readonly bad: number
  /** What the first of the bad ones said. */
  readonly complaint: string | undefined
  readonly seconds: number
  readonly p50Ms: number
  readonly p99Ms: number
}

/** Answers that are late by this much are given up. */
const patienceMs = 10_000

export async function run(job: Job): Promise<Load> {
  const tally = new Tally()
  const start = performance.now()
  const end = start + job.seconds * 1000
  const turns = job.pace === undefined ? undefined : new Turns(start, 1000 / job.pace)
  await Promise.all(Array.from({ length: job.connections }, () => keepAsking(job, tally, end, turns)))
  return tally.summary((performance.now() - start) / 1000)
}

class Tally {
  readonly #timesMs: number[] = []
  #bad = 0
  #complaint: string | undefined

  answered(ms: number, status: number, bytes: Buffer): void {
    this.#timesMs.push(ms)
    if (status >= 400) this.failed(bytes.toString('utf8').slice(0, 600))
  }

  failed(complaint: string): void {
    this.#bad++
    this.#complaint ??= complaint
  }

  summary(seconds: number): Load {
    const sorted = this.#timesMs.toSorted((a, b) => a - b)
    const at = (share: number): number => sorted[Math.floor(sorted.length * share)] ?? Number.NaN
    const { length: count } = sorted
    return { count, bad: this.#bad, complaint: this.#complaint, seconds, p50Ms: at(0.5), p99Ms: at(0.99) }
  }
}

/** When requests are due that come at a steady pace. Who is late has made somebody wait: times count from there. */
class Turns {
  #count = 0

  constructor(
    private readonly startMs: number,
    private readonly stepMs: number
  ) {}

  next(): number {
    return this.startMs + this.#count++ * this.stepMs
  }
}

/** One connection: asks, waits for the whole answer, asks again, until the time is over. */
function keepAsking(
  { port, requests }: Job,
  tally: Tally,
  endMs: number,
  turns: Turns | undefined
): Promise<void> {
  return new Promise(resolve => {
    const socket = connect(port, '127.0.0.1').setNoDelay(true)
    const reader = new ResponseReader()
    let askedMs = 0
    let isOver = false
    const finish = (complaint?: string): void => {
      if (isOver) return
      isOver = true
      clearTimeout(deadline)
      if (complaint !== undefined) tally.failed(complaint)
      socket.destroy()
      resolve()
    }
    const deadline = setTimeout(() => finish('no answer'), endMs - performance.now() + patienceMs)
    const ask = (): void => {
      askedMs = turns?.next() ?? performance.now()
      if (askedMs >= endMs) return finish()
      const restMs = askedMs - performance.now()
      if (restMs > 0) setTimeout(send, restMs)
      else send()
    }
    const send = (): void => {
      if (isOver) return
      socket.write(serialized(requests[Math.floor(Math.random() * requests.length)] ?? ''))
    }
    socket.on('connect', ask)
    socket.on('error', error => finish(error.message))
    socket.on('close', () => finish('connection closed'))
    socket.on('data', (bytes: Buffer) => {
      const status = reader.feed(bytes)
      if (status === undefined) return
      tally.answered(performance.now() - askedMs, status, bytes)
      ask()
    })
  })
}

let serial = Number(serialMark)

/** The request with a number of its own where it has the mark for one. */
function serialized(request: string): string {
  if (!request.includes(serialMark)) return request
  return request.replaceAll(serialMark, String(++serial))
}
