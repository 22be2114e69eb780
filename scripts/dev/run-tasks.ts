/** Runs tasks concurrently, as many as keep the processors busy: tests spend some of their time waiting. */
import { availableParallelism, cpus } from 'node:os'

const defaults = {
  initialTasks: availableParallelism() + 1,
  maxTasks: availableParallelism() + 4,
  intervalMs: 1000
}
/** Idle fractions of processor time above which there is room for more tasks, and below which there are too many. */
const idleThreshold = 0.06
const fullThreshold = 0.02

interface ConcurrencyOptions {
  /** Returns the idle fraction of processor time since the previous call, from 0 to 1. */
  readonly idle: () => number
  /** Number of concurrent tasks: initially, and at most. */
  readonly initialTasks: number
  readonly maxTasks: number
  /** Interval of measuring the load. */
  readonly intervalMs: number
}

/** Starts tasks in order, more at a time while processors are idle. Resolves once all have ended; rejects with the first failure. */
export async function runTasks(
  work: readonly (() => Promise<void>)[],
  { idle, initialTasks, maxTasks, intervalMs }: ConcurrencyOptions = { idle: createIdleMeter(), ...defaults }
): Promise<void> {
  const queue = [...work]
  let running = 0
  let target = initialTasks
  let timer: NodeJS.Timeout | undefined
  try {
    await new Promise<void>((resolve, reject) => {
      const startNext = (): void => {
        while (running < target) {
          const next = queue.shift()
          if (!next) break
          running++
          next().then(() => {
            running--
            startNext()
          }, reject)
        }
        if (running === 0) resolve()
      }
      timer = setInterval(() => {
        const part = idle()
        if (part > idleThreshold && running === target) target = Math.min(maxTasks, target + 1)
        else if (part < fullThreshold) target = Math.max(initialTasks, target - 1)
        startNext()
      }, intervalMs)
      startNext()
    })
  } finally {
    clearInterval(timer)
  }
}

/** Returns a function that measures the idle fraction of processor time since its previous call. */
function createIdleMeter(): () => number {
  let before = getTimes()
  return () => {
    const now = getTimes()
    const part = (now.idle - before.idle) / Math.max(1, now.all - before.all)
    before = now
    return part
  }
}

/** Returns the idle time and the total time of all processors, in milliseconds. */
function getTimes(): { readonly idle: number; readonly all: number } {
  let idle = 0
  let all = 0
  for (const { times: each } of cpus()) {
    idle += each.idle
    all += each.idle + each.user + each.nice + each.sys + each.irq
  }
  return { idle, all }
}
