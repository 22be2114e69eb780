/** Collects garbage on demand, and measures what is left of the heap. */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
export const collectGarbage = runInNewContext('gc') as () => void

/** Returns the size of the JavaScript objects in use in bytes, without the content of buffers. Files that call it run alone in their process. */
export function measureHeap(): number {
  collectGarbage()
  return process.memoryUsage().heapUsed
}
