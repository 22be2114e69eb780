/** What becomes of a command whose output cannot be written. */
import { inWords } from './mistakes.js'

/**
 * Makes errors of the standard output and of the standard error survivable: the work of the command goes on, as in a backup
 * whose output goes to `head`, and the exit status is 1. A reader that has closed its pipe wants to hear no more; any other
 * error of the output is told once.
 */
export function handleOutputErrors(): void {
  let isTold = false
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    process.exitCode = 1
    if (isTold || error.code === 'EPIPE') return
    isTold = true
    console.error(`Can't write the output: ${inWords(error) ?? error.message}`)
  })
  process.stderr.on('error', () => {
    process.exitCode = 1
  })
}
