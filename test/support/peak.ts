/** Preloaded into a process: tells at its end on standard error how much memory it had at most, in KiB. (Linux) */
import { readFileSync } from 'node:fs'

process.on('exit', () => {
  const [, peak = ''] = /VmHWM:\s*(\d+)/.exec(readFileSync('/proc/self/status', 'utf8')) ?? []
  process.stderr.write(`peak ${peak}\n`)
})
