/**
 * Takes measurements and reports medians: other load on the machine distorts some measurements, but rarely most of
 * them.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { Child } from './child.js'
import type { LoadJob, LoadResult } from './load.js'
import { getCpuUs, median } from './statistics.js'

/** The figures of a subject. */
export interface Figures {
  /** CPU time of the server per request, in microseconds. */
  readonly cpuUs: number
  /** CPU time per request of the processes behind the server; 0 if there are no such processes. */
  readonly dependentCpuUs: number
  readonly perSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
}

/** A kind of request to measure. */
export interface Subject extends Omit<LoadJob, 'seconds'> {
  readonly name: string
  /** The process whose CPU time is measured, or several that share the requests. */
  readonly pid: number | readonly number[]
  /** Processes that the server depends on. Their CPU time is measured separately. */
  readonly dependentPids?: readonly number[]
  /** Maximum number of warm-up rounds; by default 5. */
  readonly warmUpRounds?: number
}

/** A warm-up ends after this many requests, or after this many rounds of this many seconds. */
const warmUp = { requests: 3000, rounds: 5, seconds: 0.3 }

/** A process is idle if it uses at most this share of a core for this many seconds. It is checked at most this many times. */
const atRest = { share: 0.02, seconds: 1, times: 60 }

export class Meter {
  /** Failed requests, by subject: their figures are meaningless. */
  readonly warnings: string[] = []
  readonly #load = new Child<LoadJob, LoadResult>(new URL('load.js', import.meta.url))
  readonly #samples = new Map<string, Figures[]>()

  /**
   * Waits until a process has no background work left, such as completing an index: its CPU time would be attributed to requests.
   * Adds a warning if it does not become idle within a minute.
   */
  async waitUntilIdle(pid: number): Promise<void> {
    for (let times = 0; times < atRest.times; times++) {
      const before = getCpuUs(pid)
      await wait(atRest.seconds * 1000)
      if (getCpuUs(pid) - before <= atRest.share * atRest.seconds * 1e6) return
    }
    this.warnings.push('The server did not become idle before the measurement')
  }

  /** Measures all subjects alternately, so that they run under the same conditions. */
  async measureInTurns(subjects: readonly Subject[], rounds: number, seconds: number): Promise<void> {
    for (const subject of subjects) await this.#warmUp(subject)
    for (let round = 0; round < rounds; round++)
      for (const subject of subjects) await this.takeSample(subject, seconds)
  }

  /** Takes one measurement. */
  async takeSample(
    { dependentPids = [], name, pid, warmUpRounds: _rounds, ...job }: Subject,
    seconds: number
  ): Promise<void> {
    const [before, behindBefore] = [getTotalCpuUs(pid), getTotalCpuUs(dependentPids)]
    const load = await this.#load.request({ ...job, seconds })
    const { failures, firstFailure, count, p50Ms, p99Ms } = load
    if (failures > 0) this.warnings.push(`${name}: ${failures} failed requests, the first: ${firstFailure}`)
    const sample = {
      cpuUs: (getTotalCpuUs(pid) - before) / count,
      dependentCpuUs: (getTotalCpuUs(dependentPids) - behindBefore) / count,
      perSecond: count / load.seconds,
      p50Ms,
      p99Ms
    }
    this.#samples.set(name, [...(this.#samples.get(name) ?? []), sample])
  }

  /** Returns the medians of all measurements of a subject; NaN if there are no measurements. */
  figures(name: string): Figures {
    const samples = this.#samples.get(name) ?? []
    const middle = (figure: keyof Figures): number => median(samples.map(sample => sample[figure]))
    return {
      cpuUs: middle('cpuUs'),
      dependentCpuUs: middle('dependentCpuUs'),
      perSecond: middle('perSecond'),
      p50Ms: middle('p50Ms'),
      p99Ms: middle('p99Ms')
    }
  }

  async stop(): Promise<void> {
    await this.#load.stop()
  }

  /** Sends requests until the server has compiled its code and filled its caches. */
  async #warmUp({
    dependentPids: _behind,
    name: _name,
    pid: _pid,
    warmUpRounds,
    ...job
  }: Subject): Promise<void> {
    let count = 0
    for (let round = 0; round < (warmUpRounds ?? warmUp.rounds) && count < warmUp.requests; round++)
      count += (await this.#load.request({ ...job, seconds: warmUp.seconds })).count
  }
}

function getTotalCpuUs(pids: number | readonly number[]): number {
  return [pids].flat().reduce((sum, pid) => sum + getCpuUs(pid), 0)
}
