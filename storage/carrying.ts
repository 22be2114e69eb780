/** The thread that carries logs over into main files: told of one at a time, it answers with what went wrong. */
import { parentPort, type MessagePort } from 'node:worker_threads'
import type { LeftLog } from './log-carrier.js'
import { carryOver } from './open.js'

const port = parentPort as MessagePort

port.on('message', ({ file, isNamed }: LeftLog) => {
  let problem: Error | undefined
  try {
    carryOver(file, isNamed)
  } catch (error) {
    problem = error instanceof Error ? error : new Error(String(error))
  }
  port.postMessage(problem)
})
