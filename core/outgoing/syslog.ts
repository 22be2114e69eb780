/** The port of the operator's syslog. */

/** Sends messages to the syslog, or drops them. Never waits, never throws. */
export interface Syslog {
  /** Sends a message in the background; ignored once the syslog is closed. */
  send(message: Buffer): void
  /** Number of messages that were dropped. */
  readonly lost: number
}
