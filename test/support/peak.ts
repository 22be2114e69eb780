/** Preloaded into a process: at exit, prints its peak memory in KiB to standard error. (Linux) */
import { readFileSync } from 'node:fs'

process.on('exit', () => {
  const [, peak = ''] = /VmHWM:\s*(\d+)/.exec(readFileSync('/proc/self/status', 'utf8')) ?? []
  process.stderr.write(`peak ${peak}\n`)
})
