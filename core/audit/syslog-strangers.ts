/** Calls of strangers that the syslog is told of: so many a second, and how many there were beyond that. */
import type { AuditEntry } from '../../storage/audit/record.js'

/** Calls without a valid token that are told one by one in a second. */
const perSecond = 50

export class SyslogStrangers {
  #second = 0
  #told = 0
  #left = 0

  /** What is to be told when this call comes: of those left out before, and of the call itself. */
  admitted(entry: AuditEntry): AuditEntry[] {
    const second = Math.floor(entry.time)
    const left = second === this.#second ? 0 : this.#left
    if (second !== this.#second) {
      this.#second = second
      this.#told = this.#left = 0
    }
    if (++this.#told > perSecond) {
      this.#left++
      return []
    }
    if (left === 0) return [entry]
    const message = `${left} calls without a valid token have not been told of before this one`
    return [{ ...entry, message: entry.message === undefined ? message : `${message}; ${entry.message}` }]
  }
}
