/** Makes syncs of files take no thread: those of the tests' data, in memory, end at once. */
import fs, { type NoParamCallback } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'

/**
 * Syncs files in the calling thread. Handing one over to the thread pool takes many times as long as a sync of a file in memory, and
 * every write waits for one. Callbacks are called later all the same. Must be called before modules that sync files are loaded.
 */
export function syncInline(): void {
  fs.fdatasync = Object.assign((descriptor: number, done: NoParamCallback): void => {
    let failure: NodeJS.ErrnoException | null = null
    try {
      fs.fdatasyncSync(descriptor)
    } catch (error) {
      failure = error as NodeJS.ErrnoException
    }
    setImmediate(done, failure)
  }, fs.fdatasync)
  syncBuiltinESMExports()
}
