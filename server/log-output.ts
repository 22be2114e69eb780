/** Writes log lines to a file descriptor, and counts those that it does not take: a full disk or a closed pipe must not end the service. */
import { writeSync } from 'node:fs'

/** Longest wait for a pipe whose reader is slow, and between two attempts, in milliseconds. */
const maxWaitMs = 250
const waitMs = 10
/** Time after which a failed output is tried again if nothing is logged meanwhile, in milliseconds. */
const retryMs = 5000

const pause = new Int32Array(new SharedArrayBuffer(4))

/** Writes synchronously, so that no line is lost in a crash. Never throws. */
export class LogOutput {
  #dropped = 0
  #unreported = 0
  #code = ''
  #isMidLine = false
  #isReporting = false
  #isRetryScheduled = false
  #report: (message: string) => void = () => {}

  constructor(
    private readonly fd: number,
    private readonly retryAfterMs = retryMs
  ) {}

  /** Number of lines that could not be written. */
  get dropped(): number {
    return this.#dropped
  }

  /** Sets how the lines that were dropped are reported once the output works again. `report` has to write one line. */
  onRecovery(report: (message: string) => void): void {
    this.#report = report
  }

  write(line: string): void {
    if (this.#unreported > 0 && !this.#isReporting) this.#tryReport()
    if (this.#isWritten(line)) {
      if (this.#isReporting) this.#unreported = 0
      return
    }
    if (this.#isReporting) return
    this.#dropped++
    this.#unreported++
    this.#scheduleReport()
  }

  #scheduleReport(): void {
    if (this.#isRetryScheduled) return
    this.#isRetryScheduled = true
    setTimeout(() => {
      this.#isRetryScheduled = false
      if (this.#unreported > 0) this.#tryReport()
      if (this.#unreported > 0) this.#scheduleReport()
    }, this.retryAfterMs).unref()
  }

  #tryReport(): void {
    this.#isReporting = true
    this.#report(`${this.#unreported} lines of the log could not be written (${this.#code})`)
    this.#isReporting = false
  }

  #isWritten(line: string): boolean {
    // The part of a line that was written before the output failed is closed, so that the next one can be read.
    let rest = Buffer.from(this.#isMidLine ? `\n${line}` : line)
    const endMs = performance.now() + (this.#unreported > 0 ? 0 : maxWaitMs)
    while (rest.length > 0)
      try {
        const written = writeSync(this.fd, rest)
        if (written > 0) this.#isMidLine = true
        rest = rest.subarray(written)
      } catch (error) {
        const { code = '' } = error as NodeJS.ErrnoException
        if (code === 'EAGAIN' && performance.now() < endMs) Atomics.wait(pause, 0, 0, waitMs)
        else {
          this.#code = code
          return false
        }
      }
    this.#isMidLine = false
    return true
  }
}
