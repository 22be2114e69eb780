/** Percentiles, and the CPU time and memory of processes, read from /proc. Linux only. */
import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'

/** Length of a clock tick. USER_HZ is 100 on every Linux that Node runs on. */
const tickUs = 10_000
/** Time after which an unused process is idle. V8 releases the memory that loading took after about eight seconds. */
const restMs = 15_000

export function median(values: readonly number[]): number {
  return percentile(values, 0.5)
}

/** Returns the value below which a fraction (0 to 1) of all values lies; NaN if there are no values. */
export function percentile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN
}

/** Returns the CPU time of a process, its threads and its children, in microseconds, with a resolution of 10 ms. */
export function getCpuUs(pid: number): number {
  return getProcessTree(pid).reduce((sum, id) => sum + getOwnCpuUs(id), 0)
}

/** Returns the resident memory of a process and its children, in MB (10^6 bytes). */
export function getResidentMb(pid: number): number {
  return getProcessTree(pid).reduce((sum, id) => sum + getOwnResidentMb(id), 0)
}

/** Waits until an unused process is idle. Returns its resident memory in MB. */
export async function measureIdleMb(pid: number): Promise<number> {
  await wait(restMs)
  return getResidentMb(pid)
}

/** Returns the ids of a process and its descendants. */
function getProcessTree(pid: number): number[] {
  const tasks = readdirSync(`/proc/${pid}/task`)
  const children = tasks.flatMap(task =>
    readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').split(' ').filter(Boolean)
  )
  return [pid, ...children.flatMap(child => getProcessTree(Number(child)))]
}

function getOwnCpuUs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  // The second field, the program's name, may contain spaces and parentheses.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) * tickUs
}

function getOwnResidentMb(pid: number): number {
  const kib = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return (Number(kib) * 1024) / 1e6
}
