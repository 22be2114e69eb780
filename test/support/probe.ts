/** A user who keeps using the service during an operation, and time limits. */
import { createHash } from 'node:crypto'
import { openSync, readSync } from 'node:fs'
import { platform } from 'node:os'
import type { Test } from 'tap'
import type { Client } from './coffer.js'

/** Duration of {@link work} on a machine for which the limits of tests are meant, in milliseconds. */
const usualMs = 15
/**
 * How many times its limit an operation may take. Garbage collection at the wrong moment, or memory that other tests
 * keep busy, doubles the duration of a piece of work, which {@link work} does not show. What limits guard against takes
 * far longer.
 */
const margin = 2
/** How long a measurement of the machine's speed is used, in milliseconds: after an operation that seems slow, it is measured again. */
const freshMs = 30_000
/** The slowness of the machine, and when it was measured. */
const last = { value: 1, atMs: -Infinity }
/** Pause between two calls of a probe, in milliseconds. */
const restMs = 20

/**
 * Starts measuring; the returned function gives the milliseconds since: the smaller of wall-clock and CPU time, so that
 * a busy machine is not mistaken for a blocked service.
 */
export function stopwatch(): () => number {
  const start = performance.now()
  const used = process.cpuUsage()
  return () => {
    const { system, user } = process.cpuUsage(used)
    return Math.min(performance.now() - start, (system + user) / 1000)
  }
}

/** Returns how much slower than usual this machine is now; at least 1. */
export function slowness(): number {
  return Math.max(1, Math.min(timeOfWork(), timeOfWork(), timeOfWork()) / usualMs)
}

/** Like {@link slowness}, but cached for a short time: measuring takes longer than many measured operations. */
function slownessOfLate(): number {
  if (performance.now() - last.atMs > freshMs)
    Object.assign(last, { value: slowness(), atMs: performance.now() })
  return last.value
}

/**
 * Fails unless an operation takes less than a limit in milliseconds, with a margin, scaled by the slowness of the
 * machine shortly before or after it. Random delays are tolerated: the operation is repeated up to `attempts` times,
 * and the fastest attempt counts.
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
    const usual = margin * limitMs
    // If it is fast enough already, the slowness need not be measured again.
    const allowed = usual * (took < usual * before ? before : Math.max(before, slowness()))
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

/** Does some typical work of the service: creates objects, JSON text and digests. */
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

  /** Runs an operation. `slowestMs` is the longest call of the probe meanwhile, measured by {@link stopwatch}. */
  async during<T>(run: () => Promise<T>): Promise<{ value: T; slowestMs: number }> {
    const progress = { isOver: false }
    let slowestMs = 0
    const probing = async (): Promise<void> => {
      do {
        const elapsed = stopwatch()
        const { status } = await this.client.http('GET', '/streams')
        if (status !== 200) throw new Error(`the probe was answered by ${status}`)
        const answeredMs = elapsed()
        // A request that arrives during the pause would wait as well.
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

  /** Fails if another user waits for longer than a limit during an operation, up to three times. */
  async assertServed(t: Pick<Test, 'ok'>, limitMs: number, run: () => Promise<unknown>): Promise<void> {
    await assertTakesLessThan(t, limitMs, async () => (await this.during(run)).slowestMs)
  }
}

/** Linux's counter of the CPU time of this thread in nanoseconds. */
const threadStat = platform() === 'linux' ? openSync('/proc/thread-self/schedstat', 'r') : undefined

/** Returns the CPU time of this thread in milliseconds, without other threads or concurrent garbage collection. */
function threadMs(): number {
  if (threadStat === undefined) return performance.now()
  const bytes = Buffer.alloc(64)
  readSync(threadStat, bytes, 0, bytes.length, 0)
  return Number.parseInt(bytes.toString('latin1'), 10) / 1e6
}

/** Returns the longest turn of the event loop during an operation, in milliseconds of CPU time of this thread. */
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
