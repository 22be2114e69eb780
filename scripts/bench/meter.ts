/** Takes measurements and keeps their medians: other work on the machine spoils some, rarely most. */
import { Child } from './child.js'
import type { Job, Load } from './load/run.js'
import { cpuUs } from './process-stats.js'

/** Figures of one kind of request. */
export interface Figures {
  /** CPU time of the server per request, microseconds. */
  readonly cpuUs: number
  readonly perSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly bad: number
  readonly complaint: string | undefined
}

/** What to measure. */
export interface Subject {
  readonly name: string
  /** Process whose CPU time counts. */
  readonly pid: number
  readonly port: number
  readonly requests: readonly string[]
  readonly connections: number
  /** Requests a second, where it is not as many as are answered. */
  readonly pace?: number
}

/** A warm-up ends after so many requests, or so many rounds of so many seconds. */
const warmUp = { requests: 3000, rounds: 5, seconds: 0.3 }

export class Meter {
  readonly #load = new Child<Job, Load>(new URL('load/main.js', import.meta.url))
  readonly #samples = new Map<string, Figures[]>()

  constructor(private readonly seconds: number) {}

  /** Lets a server compile and cache what it will need. */
  async warmUp({ port, requests, connections }: Subject): Promise<void> {
    let count = 0
    for (let round = 0; round < warmUp.rounds && count < warmUp.requests; round++)
      count += (await this.#load.ask({ port, requests, connections, seconds: warmUp.seconds })).count
  }

  async take({ name, pid, ...subject }: Subject): Promise<void> {
    const before = cpuUs(pid)
    const { count, seconds, ...load } = await this.#load.ask({ ...subject, seconds: this.seconds })
    const sample = { ...load, cpuUs: (cpuUs(pid) - before) / count, perSecond: count / seconds }
    this.#samples.set(name, [...(this.#samples.get(name) ?? []), sample])
  }

  /** Whether anything was taken under a name. */
  has(name: string): boolean {
    return this.#samples.has(name)
  }

  /** Medians of all that was taken under a name; failures add up. */
  figures(name: string): Figures {
    const samples = this.#samples.get(name) ?? []
    const middle = (value: (sample: Figures) => number): number => median(samples.map(value))
    return {
      cpuUs: middle(sample => sample.cpuUs),
      perSecond: middle(sample => sample.perSecond),
      p50Ms: middle(sample => sample.p50Ms),
      p99Ms: middle(sample => sample.p99Ms),
      bad: samples.reduce((sum, { bad }) => sum + bad, 0),
      complaint: samples.find(({ complaint }) => complaint !== undefined)?.complaint
    }
  }

  async stop(): Promise<void> {
    await this.#load.stop()
  }
}

export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN
}
