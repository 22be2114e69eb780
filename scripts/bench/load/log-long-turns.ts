/**
 * Preloaded into the measured server: logs long turns of its event loop to the file named by `BENCH_TURNS`. Measures the CPU
 * time of the event loop's thread, which other load on the machine does not affect.
 */
import { appendFileSync, openSync, readSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'

/** Minimum duration of logged turns, in milliseconds. */
const longMs = 8

const file = process.env['BENCH_TURNS']
if (file !== undefined && isMainThread) {
  // The main thread's id is the id of its process. The first field is its CPU time in nanoseconds.
  const descriptor = openSync(`/proc/self/task/${process.pid}/schedstat`, 'r')
  const bytes = Buffer.alloc(64)
  const ranMs = (): number => {
    const length = readSync(descriptor, bytes, 0, bytes.length, 0)
    return Number.parseInt(bytes.toString('latin1', 0, length), 10) / 1e6
  }
  let before = ranMs()
  setInterval(() => {
    const now = ranMs()
    if (now - before > longMs) appendFileSync(file, `${(now - before).toFixed(1)}\n`)
    before = now
  }, 1).unref()
}
