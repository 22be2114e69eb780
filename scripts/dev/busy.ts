/** Does as many things at a time as keep the processors busy: some of what tests do is waiting. */
import { availableParallelism, cpus } from 'node:os'

/** How many things are done at a time: first, and at most. */
const first = availableParallelism() + 1
const most = availableParallelism() + 4
/** How often the processors are looked at, in milliseconds. */
const intervalMs = 1000
/** Parts of their time without work: above the one there is room for more, below the other there is too much. */
const isIdle = 0.06
const isFull = 0.02

export interface Pace {
  /** The part of the processors' time without work since it was last asked for, from 0 to 1. */
  readonly idle: () => number
  readonly first: number
  readonly most: number
  readonly intervalMs: number
}

/** Begins things in their order, more at a time while processors are idle. Resolves once all have ended; rejects with the first that fails. */
export async function doAll(
  work: readonly (() => Promise<void>)[],
  { idle, first: begun, most: limit, intervalMs: every }: Pace = { idle: idleTime(), first, most, intervalMs }
): Promise<void> {
  const queue = [...work]
  let running = 0
  let wanted = begun
  let timer: NodeJS.Timeout | undefined
  try {
    await new Promise<void>((resolve, reject) => {
      const goOn = (): void => {
        while (running < wanted) {
          const next = queue.shift()
          if (!next) break
          running++
          next().then(() => {
            running--
            goOn()
          }, reject)
        }
        if (running === 0) resolve()
      }
      timer = setInterval(() => {
        const part = idle()
        if (part > isIdle && running === wanted) wanted = Math.min(limit, wanted + 1)
        else if (part < isFull) wanted = Math.max(begun, wanted - 1)
        goOn()
      }, every)
      goOn()
    })
  } finally {
    clearInterval(timer)
  }
}

/** Asks the system how long its processors had no work, each time since the time before. */
function idleTime(): () => number {
  let before = times()
  return () => {
    const now = times()
    const part = (now.idle - before.idle) / Math.max(1, now.all - before.all)
    before = now
    return part
  }
}

/** For how long all processors together have been without work, and there at all, in milliseconds. */
function times(): { readonly idle: number; readonly all: number } {
  let idle = 0
  let all = 0
  for (const { times: each } of cpus()) {
    idle += each.idle
    all += each.idle + each.user + each.nice + each.sys + each.irq
  }
  return { idle, all }
}
