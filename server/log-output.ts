/** Writes log lines to a file descriptor, and counts those that fail: a full disk or a closed pipe must not stop the service. */
import { writeSync } from 'node:fs'

/** Maximum total time to wait for a slow reader of the pipe within one window of time, since they block the event loop. */
const maxWaitMs = 250
const waitWindowMs = 5000
/** Wait between two attempts, in milliseconds. */
const waitMs = 10
/** Milliseconds until a failed output is retried if nothing is logged in the meantime. */
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
  #waitedMs = 0
  #waitWindowEndMs = 0
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

  /** Writes a line, or counts it as dropped. The dropped lines are reported once writing succeeds again. */
  write(line: string): void {
    if (this.#unreported > 0 && !this.#isReporting) this.#tryReport()
    if (this.#tryWrite(line)) {
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
    this.#report(`log lines that could not be written: ${this.#unreported} (${this.#code})`)
    this.#isReporting = false
  }

  /** Writes a whole line, waiting briefly for a slow reader. Returns whether that succeeded. */
  #tryWrite(line: string): boolean {
    // A line that was cut off when the output failed is terminated, so that the next one can be parsed.
    let rest = Buffer.from(this.#isMidLine ? `\n${line}` : line)
    while (rest.length > 0)
      try {
        const written = writeSync(this.fd, rest)
        if (written > 0) this.#isMidLine = true
        rest = rest.subarray(written)
      } catch (error) {
        const { code = '' } = error as NodeJS.ErrnoException
        if (code !== 'EAGAIN' || !this.#tryWait()) {
          this.#code = code
          return false
        }
      }
    this.#isMidLine = false
    return true
  }

  /** Waits for the reader; returns false immediately if the limit of waits is reached. */
  #tryWait(): boolean {
    const now = performance.now()
    if (now >= this.#waitWindowEndMs) {
      this.#waitWindowEndMs = now + waitWindowMs
      this.#waitedMs = 0
    }
    if (this.#unreported > 0 || this.#waitedMs >= maxWaitMs) return false
    Atomics.wait(pause, 0, 0, waitMs)
    this.#waitedMs += performance.now() - now
    return true
  }
}
