/** What a process has used, by its entries in /proc: Linux only. */
import { readdirSync, readFileSync } from 'node:fs'

/** Length of a clock tick: USER_HZ is 100 on every Linux that Node runs on. */
const tickUs = 10_000

/** CPU time of a process, its threads and its children, in microseconds. Exact to 10 ms. */
export function cpuUs(pid: number): number {
  return tree(pid).reduce((sum, id) => sum + ownCpuUs(id), 0)
}

/** Memory in RAM of a process and its children, in MB (10^6 bytes). */
export function residentMb(pid: number): number {
  return tree(pid).reduce((sum, id) => sum + ownResidentMb(id), 0)
}

/** A process and all below it. */
function tree(pid: number): number[] {
  const tasks = readdirSync(`/proc/${pid}/task`)
  const children = tasks.flatMap(task =>
    readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').split(' ').filter(Boolean)
  )
  return [pid, ...children.flatMap(child => tree(Number(child)))]
}

function ownCpuUs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  // The second field is the program's name, which may hold blanks and parentheses.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) * tickUs
}

function ownResidentMb(pid: number): number {
  const kib = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return (Number(kib) * 1024) / 1e6
}
