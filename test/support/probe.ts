/** Somebody who goes on using the service while something happens to it, and how long things may take. */
import { createHash } from 'node:crypto'
import { openSync, readSync } from 'node:fs'
import { platform } from 'node:os'
import type { Test } from 'tap'
import type { Client } from './coffer.js'

/** How long {@link work} takes on a machine for which the limits of tests are meant, in milliseconds. */
const usualMs = 15
/** For how long the machine's pace is taken to be what it was, in milliseconds. */
const freshMs = 2000
/** The machine's pace, and when it was measured. */
const last = { value: 1, atMs: -Infinity }
/** Between two calls of a probe, in milliseconds. */
const restMs = 20

/**
 * Begins to measure; what is answered tells the milliseconds since: on the clock, or of the processor where that is less, so
 * that a busy machine is not taken for a service that stands still.
 */
export function stopwatch(): () => number {
  const start = performance.now()
  const used = process.cpuUsage()
  return () => {
    const { system, user } = process.cpuUsage(used)
    return Math.min(performance.now() - start, (system + user) / 1000)
  }
}

/** How many times as long as usual everything takes on this machine now; 1 if less. */
export function slowness(): number {
  return Math.max(1, Math.min(timeOfWork(), timeOfWork(), timeOfWork()) / usualMs)
}

/** As {@link slowness}, of a moment ago if it was asked then: asking takes longer than many things of which it is asked. */
function slownessOfLate(): number {
  if (performance.now() - last.atMs > freshMs)
    Object.assign(last, { value: slowness(), atMs: performance.now() })
  return last.value
}

/**
 * Fails unless something takes less than a limit in milliseconds, which is longer on a slower machine: as much as some work
 * takes longer shortly before or right after it. Chance may delay something, but not each time: it is tried up to `attempts` times, if it can be
 * repeated, and the quickest counts.
 */
export async function assertTakesLessThan(
  t: Pick<Test, 'ok'>,
  limitMs: number,
  measure: () => Promise<number> | number,
  attempts = 3
): Promise<void> {
  const all: string[] = []
  let isQuick = false
  for (let attempt = 1; attempt <= attempts && !isQuick; attempt++) {
    const before = slownessOfLate()
    const took = await measure()
    // What is quick enough already need not be held against the machine's pace once more.
    const allowed = limitMs * (took < limitMs * before ? before : Math.max(before, slowness()))
    isQuick = took < allowed
    all.push(`${took.toFixed(0)} of ${allowed.toFixed(0)} ms`)
  }
  t.ok(isQuick, all.join(', '))
}

function timeOfWork(): number {
  const elapsed = stopwatch()
  work()
  return elapsed()
}

/** A bit of what the service does: making objects, JSON text and digests of it. */
function work(): void {
  const rows = Array.from({ length: 4000 }, (_, n) => ({ id: `id-${n}`, n, text: 'some text'.repeat(4) }))
  for (let n = 0; n < 3; n++) {
    const json = JSON.stringify(rows)
    createHash('sha256').update(json).digest()
    JSON.parse(json)
  }
}

export class Probe {
  constructor(private readonly client: Client) {}

  /** Runs something. `slowestMs` is the longest call of the probe's meanwhile, as by {@link stopwatch}. */
  async during<T>(run: () => Promise<T>): Promise<{ value: T; slowestMs: number }> {
    const progress = { isOver: false }
    let slowestMs = 0
    const probing = async (): Promise<void> => {
      do {
        const elapsed = stopwatch()
        const { status } = await this.client.http('GET', '/streams')
        if (status !== 200) throw new Error(`the probe was answered by ${status}`)
        const answeredMs = elapsed()
        // Who comes at any other time would wait as well.
        await new Promise(resolve => setTimeout(resolve, restMs))
        slowestMs = Math.max(slowestMs, answeredMs, elapsed() - restMs)
      } while (!progress.isOver)
    }
    const probed = probing()
    const [ran] = await Promise.allSettled([run().finally(() => (progress.isOver = true)), probed])
    await probed
    if (ran.status === 'rejected') throw ran.reason
    return { value: ran.value, slowestMs }
  }

  /** Fails if somebody else waits for longer than a limit while something runs, up to three times. */
  async assertServed(t: Pick<Test, 'ok'>, limitMs: number, run: () => Promise<unknown>): Promise<void> {
    await assertTakesLessThan(t, limitMs, async () => (await this.during(run)).slowestMs)
  }
}

/** Linux's count of the nanoseconds for which this thread has run. */
const threadStat = platform() === 'linux' ? openSync('/proc/thread-self/schedstat', 'r') : undefined

/** The milliseconds for which this thread has run: neither those of others nor those of the collector of garbage beside it. */
function threadMs(): number {
  if (threadStat === undefined) return performance.now()
  const bytes = Buffer.alloc(64)
  readSync(threadStat, bytes, 0, bytes.length, 0)
  return Number.parseInt(bytes.toString('latin1'), 10) / 1e6
}

/** Measures the longest that nobody else had a turn in this thread while something ran, in milliseconds of this thread. */
export async function longestTurn(work: () => Promise<unknown>): Promise<number> {
  let [beganMs, longest, isDone] = [threadMs(), 0, false]
  const turn = (): void => {
    const nowMs = threadMs()
    longest = Math.max(longest, nowMs - beganMs)
    beganMs = nowMs
    if (!isDone) setImmediate(turn)
  }
  setImmediate(turn)
  await work().finally(() => (isDone = true))
  turn()
  return longest
}
