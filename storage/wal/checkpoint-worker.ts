/** The thread that carries logs over into main files: told of one at a time, it answers with what went wrong. */
import { parentPort, type MessagePort } from 'node:worker_threads'
import { carryOver, carryRestOver } from '../sqlite/open.js'

/** What is to be done, and with the log of which file. */
export interface CarrierTask {
  readonly file: string
  /** Whether the log's name is on disk. */
  readonly isNamed: boolean
  /** Whether most of it has been carried over and nobody writes to it: then it is begun again. */
  readonly isRest: boolean
}

const port = parentPort as MessagePort

port.on('message', ({ file, isNamed, isRest }: CarrierTask) => {
  let problem: Error | undefined
  try {
    if (isRest) carryRestOver(file)
    else carryOver(file, isNamed)
  } catch (error) {
    problem = error instanceof Error ? error : new Error(String(error))
  }
  port.postMessage(problem)
})
