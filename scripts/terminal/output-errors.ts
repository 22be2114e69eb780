/** Handles errors of writing the output of a command. */
import { describeSystemError } from './system-errors.js'

/**
 * Makes commands continue after errors of standard output and standard error: a backup completes even if its output
 * goes to `head`. The exit code is then 1. A closed pipe is not reported; other output errors are reported once.
 */
export function handleOutputErrors(): void {
  let isReported = false
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    process.exitCode = 1
    if (isReported || error.code === 'EPIPE') return
    isReported = true
    console.error(`Can't write the output: ${describeSystemError(error) ?? error.message}`)
  })
  process.stderr.on('error', () => {
    process.exitCode = 1
  })
}
