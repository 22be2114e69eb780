/** The operator's log and syslog, as ports. Only the fields listed here may be logged: no bodies, headers, queries, tokens. */

/** The fields of a log line. */
export interface LogFields {
  readonly method?: string
  readonly status?: number
  readonly errorId?: string
  /** Milliseconds. */
  readonly durationMs?: number
  readonly accessId?: string
  readonly accountId?: string
  /** The link that would have been mailed if there were a mail server: valid once, for an hour. */
  readonly link?: string
  /** The service's own base URL. */
  readonly url?: string
  /** The underlying error, for the operator only. */
  readonly cause?: unknown
}

export interface Log {
  /** Logs normal operation. */
  info(message: string, fields?: LogFields): void
  /** Logs what the operator may have to look at. */
  warn(message: string, fields?: LogFields): void
  /** Logs a failure. */
  error(message: string, fields?: LogFields): void
}

/** A log that discards everything. */
export const silentLog: Log = { info() {}, warn() {}, error() {} }

/** Sends messages to the syslog, or drops them. Never waits, never throws. */
export interface Syslog {
  /** Sends a message in the background; ignored once the syslog is closed. */
  send(message: Buffer): void
  /** Number of messages that were dropped. */
  readonly lost: number
}
