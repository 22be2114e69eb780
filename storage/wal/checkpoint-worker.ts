/** The worker thread that checkpoints logs. For each task it posts the error, or `undefined` on success. */
import { parentPort, type MessagePort } from 'node:worker_threads'
import { checkpointLog, checkpointAndRestart } from '../sqlite/open.js'

/** A checkpoint of one file. */
export interface CheckpointTask {
  readonly file: string
  /** Whether the log's directory entry is on disk. */
  readonly isNamed: boolean
  /** Whether to restart the log afterwards; there must be no writes in the meantime. */
  readonly mustRestart: boolean
}

const port = parentPort as MessagePort

port.on('message', ({ file, isNamed, mustRestart }: CheckpointTask) => {
  let problem: Error | undefined
  try {
    if (mustRestart) checkpointAndRestart(file)
    else checkpointLog(file, isNamed)
  } catch (error) {
    problem = error instanceof Error ? error : new Error(String(error))
  }
  port.postMessage(problem)
})
