/** The way to the operator's syslog. */

/** Takes messages to the syslog, or drops them: nobody waits for it, and it raises nothing. */
export interface Syslog {
  send(message: Buffer): void
}
