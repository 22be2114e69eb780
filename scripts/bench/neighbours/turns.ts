/**
 * Preloaded into the server that is measured: notes turns of its loop that take long, in CPU time of the loop's own thread,
 * so that what else runs on the machine does not count. What it notes goes to the file that `BENCH_TURNS` names.
 */
import { appendFileSync, openSync, readSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'

/** Turns that are worth a note, milliseconds. */
const longMs = 8

const file = process.env['BENCH_TURNS']
if (file !== undefined && isMainThread) {
  // The main thread bears the number of its process. Its first figure is the time that it ran, nanoseconds.
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
