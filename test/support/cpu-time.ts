/** Measures the CPU time of this process and of all processes below it, such as a browser's. */
import { readdirSync, readFileSync } from 'node:fs'

/** Clock ticks per second, by which Linux counts CPU time for its users. */
const ticks = 100

/** Returns the CPU time of this process and its descendants until now, in seconds; `undefined` on systems other than Linux. */
export function measureCpuTime(): number | undefined {
  if (process.platform !== 'linux') return undefined
  const processes = new Map(readdirSync('/proc').flatMap(readProcess))
  const isOwn = (id: number | undefined): boolean =>
    id === process.pid || (id !== undefined && isOwn(processes.get(id)?.parent))
  let sum = 0
  for (const [id, { time }] of processes) if (isOwn(id)) sum += time
  return sum / ticks
}

/** Returns a process's id, its parent, and its time, which includes that of children that have ended. */
function readProcess(name: string): [number, { readonly parent: number; readonly time: number }][] {
  if (!/^\d+$/.test(name)) return []
  try {
    const stat = readFileSync(`/proc/${name}/stat`, 'utf8')
    const fields = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number)
    const [, parent = 0] = fields
    return [[Number(name), { parent, time: fields.slice(11, 15).reduce((sum, each) => sum + each, 0) }]]
  } catch {
    // It has just ended.
    return []
  }
}
