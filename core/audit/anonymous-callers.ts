/** Limits the syslog messages about calls without a valid token; those skipped are counted. */
import type { AuditEntry } from '../../storage/audit/record.js'

/** Maximum messages about calls without a valid token in one second. */
const perSecond = 50

export class AnonymousCallers {
  #second = 0
  #sent = 0
  #skipped = 0

  /** Returns the entries to send for a call; the number of calls skipped before is added to the message. */
  admit(entry: AuditEntry): AuditEntry[] {
    const second = Math.floor(entry.time)
    const skipped = second === this.#second ? 0 : this.#skipped
    if (second !== this.#second) {
      this.#second = second
      this.#sent = this.#skipped = 0
    }
    if (++this.#sent > perSecond) {
      this.#skipped++
      return []
    }
    if (skipped === 0) return [entry]
    const message = `calls without a valid token not sent before this one: ${skipped}`
    return [{ ...entry, message: entry.message === undefined ? message : `${message}; ${entry.message}` }]
  }
}
