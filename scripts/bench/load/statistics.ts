/** Medians, and CPU time and memory of processes, from /proc. Linux only. */
import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'

/** Length of a clock tick: USER_HZ is 100 on every Linux that Node runs on. */
const tickUs = 10_000
/** Interval of sampling the memory. */
const sampleMs = 20
/** Time after which a process that has nothing to do is at rest: V8 gives back what loading took about eight seconds later. */
const restMs = 15_000

export function median(values: readonly number[]): number {
  return percentile(values, 0.5)
}

/** The value below which a fraction of all values lies; NaN if there are none. */
export function percentile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN
}

/** CPU time of a process, its threads and its children, in microseconds, with a resolution of 10 ms. */
export function cpuUs(pid: number): number {
  return tree(pid).reduce((sum, id) => sum + ownCpuUs(id), 0)
}

/** Memory in RAM of a process and its children, in MB (10^6 bytes). */
export function residentMb(pid: number): number {
  return tree(pid).reduce((sum, id) => sum + ownResidentMb(id), 0)
}

/** Like {@link residentMb}, of a process that has nothing to do, once it is at rest. */
export async function idleMb(pid: number): Promise<number> {
  await wait(restMs)
  return residentMb(pid)
}

/** The peak growth of a process's memory while `work` runs, in MB. */
export async function memoryGrowth(pid: number, work: () => Promise<unknown>): Promise<number> {
  const before = residentMb(pid)
  let peak = before
  const timer = setInterval(() => (peak = Math.max(peak, residentMb(pid))), sampleMs)
  try {
    await work()
  } finally {
    clearInterval(timer)
  }
  return peak - before
}

/** A process and its descendants. */
function tree(pid: number): number[] {
  const tasks = readdirSync(`/proc/${pid}/task`)
  const children = tasks.flatMap(task =>
    readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').split(' ').filter(Boolean)
  )
  return [pid, ...children.flatMap(child => tree(Number(child)))]
}

function ownCpuUs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  // The second field is the program's name, which may hold spaces and parentheses.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) * tickUs
}

function ownResidentMb(pid: number): number {
  const kib = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return (Number(kib) * 1024) / 1e6
}
